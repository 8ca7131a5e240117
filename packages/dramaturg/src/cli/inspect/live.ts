import { once } from 'node:events';
import { type Behaviour, type Compiled, visible } from '@dramaturg/compiler';
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

/** Shows a run on the inspector's page while it goes on, and after it. */
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
   * @param nested the definitions that it runs within, by the ids of their charts
   * @returns undefined when it is not wanted
   */
  static async begin(
    compiled: Compiled,
    options: LiveOptions,
    nested: Iterable<readonly [id: string, definition: { readonly compiled: Compiled }]> = [],
  ): Promise<Live | undefined> {
    if (!options.inspect) return undefined;
    // Loaded here, because most runs can do without.
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
      // Whoever asks listens to its port, not to events.
      send: async (id, order) =>
        order.event.type === 'decision.made'
          ? decisions.take(order.event)
          : exhibit.send(id, order),
    };
    const page = await showPage(exhibited, `"${visible(title)}"`, {
      ...(open === undefined ? {} : { open }),
      ...(port === undefined ? {} : { port }),
    });
    const watch = (behaviour: Behaviour) => watchGuards(behaviour, inspector.seeGuard);
    return new Live(inspector, page, watch, decisions);
  }

  /** The code of a format, so that its guards are seen. */
  watched(behaviour: Behaviour): Behaviour {
    return this.#watch(behaviour);
  }

  readonly attach: Inspector['attach'] = (actor) => this.#inspector.attach(actor);

  /** The run is over, and may be looked at until Ctrl+C. */
  async end(interrupted: AbortSignal): Promise<void> {
    if (!interrupted.aborted) {
      const { write, paint } = outputTo(process.stderr);
      write(`${paint('dim', 'The inspector stays until Ctrl+C.')}\n`);
      await once(interrupted, 'abort');
    }
    await this.#page.close();
  }
}
