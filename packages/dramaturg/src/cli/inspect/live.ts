import { once } from 'node:events';
import { type Chart, type Compiled, type EventObject, isRecord } from '@dramaturg/compiler';
import { read } from '@dramaturg/compiler/format';
import {
  type Behaviour,
  type Decision,
  type Question,
  readDecision,
  whyRefused,
} from '@dramaturg/compiler/machine';
import { visible } from '@dramaturg/compiler/text';
import type { Inspector } from '@dramaturg/inspector';
import type { DefinitionText, Exhibit, InspectorServer } from '@dramaturg/inspector/server';
import { outputTo } from '../output.ts';
import { UsageError } from '../usage-error.ts';

export interface LiveOptions extends PageOptions {
  readonly inspect?: true;
  readonly allowSend?: true;
}

/** Shows a run on the inspector's page, during the run and after it. It owns the page, and closes it in `end`. */
export class Live {
  readonly #inspector: Inspector;
  readonly #page: InspectorServer;
  readonly #watch: (behaviour: Behaviour) => Behaviour;
  readonly decisions: PageDecisions;

  private constructor(
    inspector: Inspector,
    page: InspectorServer,
    watch: (behaviour: Behaviour) => Behaviour,
    decisions: PageDecisions,
  ) {
    this.#inspector = inspector;
    this.#page = page;
    this.#watch = watch;
    this.decisions = decisions;
  }

  /**
   * @param nested the definitions that the run calls, by the ids of their charts
   * @returns undefined without `--inspect`
   */
  static async begin(
    compiled: Compiled,
    options: LiveOptions,
    nested: Iterable<readonly [id: string, definition: { readonly compiled: Compiled }]> = [],
  ): Promise<Live | undefined> {
    if (!options.inspect) return undefined;
    // Loaded here because most runs do not need it.
    const { createInspector, watchGuards } = await import('@dramaturg/inspector');
    const { liveExhibit } = await import('@dramaturg/inspector/server');
    const inspector = createInspector();
    const chart = compiled.chart!;
    const named = chart.meta?.['title'];
    const title = typeof named === 'string' ? named : chart.id;
    const decisions = new PageDecisions();
    const exhibit = liveExhibit(inspector, {
      title,
      sources: [
        definitionText(chart, title, compiled.source.text),
        ...[...nested].map(([id, { compiled: within }]) =>
          definitionText({ ...within.chart!, id }, id, within.source.text),
        ),
      ],
      allowsSending: options.allowSend === true,
    });
    const { open, port } = options;
    const exhibited: Exhibit = {
      ...exhibit,
      // A decision is the answer of a port, not an event of the machine.
      send: async (id, order) =>
        order.event.type === 'decision.made'
          ? decisions.take(order.event)
          : exhibit.send(id, order),
    };
    const page = await showPage(exhibited, `"${visible(title)}"`, {
      ...(open === undefined ? {} : { open }),
      ...(port === undefined ? {} : { port }),
    });
    const watch = (behaviour: Behaviour) => watchGuards(behaviour, inspector.recordGuard);
    return new Live(inspector, page, watch, decisions);
  }

  /** Wraps the behaviour of a format, so that the inspector sees its guards. */
  watched(behaviour: Behaviour): Behaviour {
    return this.#watch(behaviour);
  }

  readonly attach: Inspector['attach'] = (actor) => this.#inspector.attach(actor);

  /** Keeps the page open after the run until Ctrl+C. */
  async end(interrupted: AbortSignal): Promise<void> {
    if (!interrupted.aborted) {
      const { write, paint } = outputTo(process.stderr);
      write(`${paint('dim', 'The inspector stays open until Ctrl+C.')}\n`);
      await once(interrupted, 'abort');
    }
    await this.#page.close();
  }
}

/** The text of a definition, with the lines that each node of its chart comes from. */
export function definitionText(chart: Chart, name: string, text: string): DefinitionText {
  const source = read(text);
  const lines: Record<string, readonly [number, number]> = {};
  for (const origin of originsIn(chart)) {
    const { start, end } = source.locate(origin);
    // A range that ends at the first column of a line does not include that line.
    const last = end.column === 1 && end.line > start.line ? end.line - 1 : end.line;
    lines[JSON.stringify(origin)] = [start.line, last];
  }
  return { chart: chart.id, name, text, lines };
}

/** The origins of all nodes, including the charts that run for items. */
function originsIn(chart: Chart): readonly (readonly (string | number)[])[] {
  const origins: (readonly (string | number)[])[] = [];
  const pending: unknown[] = [chart];
  for (const value of pending) {
    if (Array.isArray(value)) pending.push(...value);
    if (!isRecord(value)) continue;
    const { meta } = value;
    if (isRecord(meta) && Array.isArray(meta['origin']))
      origins.push(meta['origin'] as (string | number)[]);
    pending.push(...Object.values(value));
  }
  return origins;
}

interface OpenQuestion {
  readonly question: Question;
  readonly made: Promise<Decision>;
  readonly make: (decision: Decision) => void;
}

/**
 * The decisions that people take on the inspector's page. It owns the open questions, by the keys of their calls: a
 * question is open from `open` until its closing function is called, and is decided at most once.
 */
class PageDecisions {
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

interface PageOptions {
  /** False prints the address only. */
  readonly open?: boolean;
  readonly port?: number;
  readonly json?: true;
}

/** Serves the inspector's page, prints its address, and opens it in the browser. */
export async function showPage(
  exhibit: Exhibit,
  what: string,
  { open = true, port, json }: PageOptions,
): Promise<InspectorServer> {
  // Loaded here because most commands do not need it.
  const { openInBrowser, serveInspector } = await import('@dramaturg/inspector/server');
  const page = await serveInspector(exhibit, port === undefined ? {} : { port }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new UsageError(
        `The port ${port} is in use.`,
        'Choose another port, or leave out --port to use a free one.',
      );
    },
  );
  // Standard output is for the events of the run.
  const output = outputTo(json ? process.stdout : process.stderr);
  if (json) output.write(`${JSON.stringify({ type: 'ready', url: page.url })}\n`);
  else output.write(`${output.paint('green', '✓')} The inspector shows ${what}: ${page.url}\n`);
  if (open && process.stdout.isTTY) openInBrowser(page.url);
  return page;
}
