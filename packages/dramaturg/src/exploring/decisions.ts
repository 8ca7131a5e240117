import type { Move } from './player.ts';

/** The moments with a question to people that none of the tried decisions has answered. */
export class Decisions<Node> {
  readonly #accepted = new Set<Node>();
  readonly #refused = new Map<Node, string>();

  accepted(node: Node, move: Move): void {
    if (isDecision(move)) this.#accepted.add(node);
  }

  refused(node: Node, move: Move, because: string): void {
    if (isDecision(move) && !this.#refused.has(node)) this.#refused.set(node, because);
  }

  /** The moments at which every decision was refused, with the reason. */
  undecidable(): readonly { readonly node: Node; readonly because: string }[] {
    return [...this.#refused].flatMap(([node, because]) =>
      this.#accepted.has(node) ? [] : [{ node, because }],
    );
  }
}

function isDecision(move: Move): boolean {
  return 'happening' in move && move.happening.decide !== undefined;
}
