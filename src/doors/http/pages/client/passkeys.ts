/** Passkeys in the browser: what the server asks of them, and what they sign. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

interface AssertionOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly allow: readonly {
    readonly id: string;
    readonly transports: readonly AuthenticatorTransport[];
  }[];
  readonly timeout: number;
}

interface CreationOptions {
  readonly rp: PublicKeyCredentialRpEntity;
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly challenge: string;
  readonly pubKeyCredParams: PublicKeyCredentialParameters[];
  readonly timeout: number;
  readonly attestation: AttestationConveyancePreference;
  readonly excludeCredentials: readonly { readonly id: string }[];
  readonly authenticatorSelection: AuthenticatorSelectionCriteria;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (each) => each.charCodeAt(0));
}

function textOf(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-")
    .replaceAll("/", "_").replaceAll("=", "");
}

function say(text: string): void {
  const place = document.getElementById("passkey-says");
  if (place !== null) place.textContent = text;
}

/** Asks the server; throws with its words where it refuses. */
async function post<T>(path: string, body?: unknown): Promise<T> {
  const csrf = document.querySelector<HTMLMetaElement>("meta[name=csrf]")?.content ?? "";
  const answer = await fetch(path, {
    method: "POST",
    headers: { "x-amof-csrf": csrf, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const said: unknown = await answer.json();
  if (answer.ok) return said as T;
  throw new Error(String((said as { message?: unknown }).message ?? "The server refused"));
}

/** Has one of the person's keys sign. */
async function sign(options: AssertionOptions): Promise<unknown> {
  const credential = await navigator.credentials.get({
    publicKey: {
      challenge: bytesOf(options.challenge),
      rpId: options.rpId,
      allowCredentials: options.allow.map(({ id, transports }) => ({
        type: "public-key",
        id: bytesOf(id),
        transports: [...transports],
      })),
      userVerification: "required",
      timeout: options.timeout,
    },
  });
  const { response } = credential as PublicKeyCredential;
  const signed = response as AuthenticatorAssertionResponse;
  return {
    id: credential?.id,
    response: {
      clientDataJSON: textOf(signed.clientDataJSON),
      authenticatorData: textOf(signed.authenticatorData),
      signature: textOf(signed.signature),
    },
  };
}

/** Makes a new key. */
async function create(options: CreationOptions): Promise<unknown> {
  const credential = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: bytesOf(options.challenge),
      user: { ...options.user, id: bytesOf(options.user.id) },
      excludeCredentials: options.excludeCredentials.map(({ id }) => ({
        type: "public-key",
        id: bytesOf(id),
      })),
    },
  });
  const response = (credential as PublicKeyCredential).response as AuthenticatorAttestationResponse;
  return {
    id: credential?.id,
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
      transports: response.getTransports(),
    },
  };
}

/** Does what takes a key, and says what went wrong. */
async function trying(work: () => Promise<void>): Promise<void> {
  try {
    say("Waiting for the passkey …");
    await work();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

interface Change {
  readonly creation: CreationOptions;
  readonly assertion: AssertionOptions | null;
}

/** Adds or removes a key; where there are some, one of them has to agree. */
async function change(path: string, more: (of: Change) => Promise<object>): Promise<void> {
  const asked = await post<Change>("/passkeys/challenge");
  const assertion = asked.assertion === null ? null : await sign(asked.assertion);
  await post(path, { assertion, ...await more(asked) });
  location.reload();
}

async function approve(form: HTMLFormElement): Promise<void> {
  const field = form.elements.namedItem("assertion");
  if (!(field instanceof HTMLInputElement)) return;
  const path = form.action.replace(/approve$/, "challenge");
  field.value = JSON.stringify(await sign(await post<AssertionOptions>(path)));
  form.submit();
}

/** Takes the forms and buttons that need a key. */
export function usePasskeys(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement)) return;
    if (form.id === "approve" && form.dataset["passkey"] !== undefined) {
      event.preventDefault();
      void trying(() => approve(form));
    } else if (form.id === "add-passkey") {
      event.preventDefault();
      const name = new FormData(form).get("name");
      void trying(() =>
        change(
          "/passkeys/add",
          async ({ creation }) => ({ name, credential: await create(creation) }),
        )
      );
    }
  });
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element
      ? event.target.closest<HTMLElement>("[data-remove-passkey]")
      : null;
    if (button === null) return;
    const id = button.dataset["removePasskey"];
    void trying(() => change("/passkeys/remove", () => Promise.resolve({ id })));
  });
}
