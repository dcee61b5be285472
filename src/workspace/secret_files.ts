/** Files that look as if they held a secret, told by their names. */

const NAMES: readonly RegExp[] = [
  /^\.env(?:rc)?$/,
  // Samples of a .env file are there to be committed.
  /^\.env\.(?!(?:.*\.)?(?:example|sample|template|tmpl|dist|defaults?)$)/,
  /^.*\.(?:key|pem|p12|pfx|jks|keystore|kdbx|ppk|p8)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /^\.?credentials?(?:\.(?:json|ya?ml|toml|ini|txt|csv|db))?$/,
  /^\.?secrets?(?:\.(?:json|ya?ml|toml|ini|txt|env))?$/,
  /^\.(?:netrc|pgpass|git-credentials|htpasswd|pypirc|my\.cnf|dockercfg|vault_pass|vault-token)$/,
  /^_netrc$/,
  /^\.?kubeconfig$/,
  /^.+\.kubeconfig$/,
  /^.*service[-_]?account.*\.json$/,
  /^.+\.tfvars(?:\.json)?$/,
  /^.*\.tfstate(?:\.backup)?$/,
];

const PLACES: readonly RegExp[] = [
  /(?:^|\/)\.aws\/credentials$/,
  /(?:^|\/)\.docker\/config\.json$/,
  /(?:^|\/)\.kube\/config$/,
  /(?:^|\/)\.ssh\/(?!known_hosts$|config$|.*\.pub$)/,
  /(?:^|\/)\.gnupg\//,
];

/** Whether the name of a file, a path with `/`, is one under which secrets are usually kept. */
export function looksSecret(path: string): boolean {
  const folded = path.toLowerCase();
  const name = folded.slice(folded.lastIndexOf("/") + 1);
  return NAMES.some((pattern) => pattern.test(name)) ||
    PLACES.some((pattern) => pattern.test(folded));
}
