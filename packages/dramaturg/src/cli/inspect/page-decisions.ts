import {
  type Decision,
  type EventObject,
  type Question,
  readDecision,
  whyRefused,
} from '@dramaturg/compiler';

interface OpenQuestion {
  readonly question: Question;
  readonly made: Promise<Decision>;
  readonly make: (decision: Decision) => void;
}

/** The questions that are open, by the keys of their calls, and what is decided on them on the page. */
export class PageDecisions {
  readonly #open = new Map<string, OpenQuestion>();

  /** Lets a question be decided on the page until `close` is called, also before its turn has come at the terminal. */
  open(question: Question): () => void {
    let make!: OpenQuestion['make'];
    const made = new Promise<Decision>((resolve) => (make = resolve));
    this.#open.set(question.key, { question, made, make });
    return () => this.#open.delete(question.key);
  }

  /** What is decided on the page; it never fulfils when somebody else decides. */
  made(key: string): Promise<Decision> {
    return this.#open.get(key)?.made ?? new Promise(() => {});
  }

  /** Takes a decision of the page. @returns why it cannot be taken, in a sentence */
  take(event: EventObject): string | undefined {
    const open = this.#open.get(String(event['key']));
    if (!open) return 'Nobody is asked this any more.';
    const decision = readDecision(event);
    if (typeof decision === 'string') return decision;
    const because = whyRefused(open.question, decision);
    if (because === undefined) open.make(decision);
    return because;
  }
}
