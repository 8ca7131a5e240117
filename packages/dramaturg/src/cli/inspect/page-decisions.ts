import type { EventObject } from '@dramaturg/compiler';
import {
  type Decision,
  type Question,
  readDecision,
  whyRefused,
} from '@dramaturg/compiler/machine';

interface OpenQuestion {
  readonly question: Question;
  readonly made: Promise<Decision>;
  readonly make: (decision: Decision) => void;
}

/**
 * The decisions that people take on the inspector's page. It owns the open questions, by the keys of their calls: a
 * question is open from `open` until its closing function is called, and is decided at most once.
 */
export class PageDecisions {
  readonly #open = new Map<string, OpenQuestion>();

  /** Offers a question on the page, also before the terminal asks it. @returns the function that closes the question */
  open(question: Question): () => void {
    let make!: OpenQuestion['make'];
    const made = new Promise<Decision>((resolve) => (make = resolve));
    this.#open.set(question.key, { question, made, make });
    return () => this.#open.delete(question.key);
  }

  /** Resolves with the decision of the page. Stays pending if the decision is taken elsewhere. */
  made(key: string): Promise<Decision> {
    return this.#open.get(key)?.made ?? new Promise(() => {});
  }

  /** Takes a decision from the page. @returns a sentence that says why it is refused */
  take(event: EventObject): string | undefined {
    const open = this.#open.get(String(event['key']));
    if (!open) return 'This question is not open any more.';
    const decision = readDecision(event);
    if (typeof decision === 'string') return decision;
    const because = whyRefused(open.question, decision);
    if (because === undefined) open.make(decision);
    return because;
  }
}
