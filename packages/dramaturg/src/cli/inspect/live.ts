import { once } from 'node:events';
import type { Compiled } from '@dramaturg/compiler';
import type { Behaviour } from '@dramaturg/compiler/machine';
import { visible } from '@dramaturg/compiler/text';
import type { Inspector } from '@dramaturg/inspector';
import type { Exhibit, InspectorServer } from '@dramaturg/inspector/server';
import { outputTo } from '../output.ts';
import { definitionText } from './definition-text.ts';
import { PageDecisions } from './page-decisions.ts';
import { type PageOptions, showPage } from './show-page.ts';

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
