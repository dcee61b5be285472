/**
 * In which order tickets land with the least trouble: whatever lands first makes the others resolve their conflicts with
 * it, so those go first that the fewest others have to resolve.
 */

/** Two sides that were compared; `b` is null where that is the base. */
export interface Compared {
  readonly a: string;
  readonly b: string | null;
  readonly files: number;
  /** Repositories in which it could not be told. */
  readonly unknown: number;
}

/** A ticket at its place in the order. */
export interface Landing {
  readonly ticket_id: string;
  /** Conflicting files that it has to resolve itself before it lands: with the base, and with what landed before it. */
  readonly resolves: number;
  /** Tickets behind it that will have to resolve conflicts with it. */
  readonly hinders: readonly string[];
  /** Why it stands here, as a sentence without its full stop. */
  readonly because: string;
}

/** How much trouble a ticket makes while others are left. */
interface Trouble {
  readonly id: string;
  readonly base: number;
  readonly others: readonly string[];
  readonly files: number;
  readonly unknown: number;
}

/** An order of landing, the least troublesome first; the order that is given decides between equals. */
export function landingOrder(ids: readonly string[], compared: readonly Compared[]): Landing[] {
  const between = (a: string, b: string | null) =>
    compared.filter((pair) => pair.a === a && pair.b === b || pair.a === b && pair.b === a);
  const filesOf = (pairs: readonly Compared[]) => pairs.reduce((sum, { files }) => sum + files, 0);
  const left = [...ids];
  const order: Landing[] = [];
  while (left.length > 0) {
    const troubles = left.map((id): Trouble => {
      const rest = left.filter((other) => other !== id);
      const pairs = rest.flatMap((other) => between(id, other));
      return {
        id,
        base: filesOf(between(id, null)),
        others: rest.filter((other) => filesOf(between(id, other)) > 0),
        files: filesOf(pairs),
        unknown: [...pairs, ...between(id, null)].reduce((sum, each) => sum + each.unknown, 0),
      };
    });
    const [next] = troubles.toSorted((a, b) =>
      a.others.length - b.others.length || a.unknown - b.unknown ||
      a.files + a.base - b.files - b.base
    );
    if (next === undefined) break;
    left.splice(left.indexOf(next.id), 1);
    const earlier = order.filter(({ ticket_id }) => filesOf(between(next.id, ticket_id)) > 0);
    const before = earlier.flatMap(({ ticket_id }) => between(next.id, ticket_id));
    order.push({
      ticket_id: next.id,
      resolves: next.base + filesOf(before),
      hinders: next.others,
      because: because(next, earlier.map(({ ticket_id }) => ticket_id)),
    });
  }
  return order;
}

function because({ base, others, unknown }: Trouble, earlier: readonly string[]): string {
  const parts = [
    ...(base > 0 ? ["conflicts with its base branch"] : []),
    ...(earlier.length > 0 ? [`resolves what ${earlier.join(", ")} changed`] : []),
    ...(others.length > 0 ? [`${others.join(", ")} will resolve what it changed`] : []),
    ...(unknown > 0 ? ["not all of it could be compared"] : []),
  ];
  return parts.length === 0 ? "conflicts with nothing" : parts.join("; ");
}
