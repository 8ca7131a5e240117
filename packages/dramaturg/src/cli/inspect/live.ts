import { once } from 'node:events';
import { type Behaviour, type Compiled, visible } from '@dramaturg/compiler';
import type { Inspector } from '@dramaturg/inspector';
import type { InspectorServer } from '@dramaturg/inspector/server';
import { outputTo } from '../output.ts';
import { definitionText } from './definition-text.ts';
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

  private constructor(
    inspector: Inspector,
    page: InspectorServer,
    watch: (behaviour: Behaviour) => Behaviour,
  ) {
    this.#inspector = inspector;
    this.#page = page;
    this.#watch = watch;
  }

  /** @returns undefined when it is not wanted */
  static async begin(compiled: Compiled, options: LiveOptions): Promise<Live | undefined> {
    if (!options.inspect) return undefined;
    // Loaded here, because most runs can do without.
    const { createInspector, watchGuards } = await import('@dramaturg/inspector');
    const { liveExhibit } = await import('@dramaturg/inspector/server');
    const inspector = createInspector();
    const chart = compiled.chart!;
    const named = chart.meta?.['title'];
    const title = typeof named === 'string' ? named : chart.id;
    const exhibit = liveExhibit(inspector, {
      title,
      sources: [definitionText(chart, title, compiled.source.text)],
      allowsSending: options.allowSend === true,
    });
    const { open, port } = options;
    const page = await showPage(exhibit, `"${visible(title)}"`, {
      ...(open === undefined ? {} : { open }),
      ...(port === undefined ? {} : { port }),
    });
    return new Live(inspector, page, (behaviour) => watchGuards(behaviour, inspector.seeGuard));
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
