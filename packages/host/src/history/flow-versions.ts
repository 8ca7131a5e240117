import { isSameVersion } from '../definitions/definition.ts';
import type { LoadedDefinition } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import type { Charts, StoredChart } from '../host/instance-reader.ts';
import type { DefinitionVersion } from '../store/contract.ts';

export interface FlowVersionsOptions {
  readonly charts: Charts;
  /** Reads the charts again: an instance that runs may be migrated after they were read. */
  readonly rereadCharts: (() => Promise<Charts>) | undefined;
  readonly link: (stored: StoredChart) => LoadedDefinition;
}

/** The versions of the flow that an instance has run, each linked once. */
export class FlowVersions {
  readonly #options: FlowVersionsOptions;
  readonly #linked = new Map<string, LoadedDefinition>();

  constructor(options: FlowVersionsOptions) {
    this.#options = options;
  }

  /** The version that the instance began with; undefined without a flow. */
  get first(): StoredChart | undefined {
    return versionsIn(this.#options.charts)[0];
  }

  /** @throws HostError `host/unknown-definition` */
  async of(ref: DefinitionVersion): Promise<LoadedDefinition> {
    const known = this.#linked.get(ref.version);
    if (known) return known;
    const { charts, rereadCharts, link } = this.#options;
    const isMeant = (each: StoredChart) => isSameVersion(each.ref, ref);
    const stored =
      versionsIn(charts).find(isMeant) ??
      (rereadCharts && versionsIn(await rereadCharts()).find(isMeant));
    if (!stored)
      throw new HostError(
        'host/unknown-definition',
        `The version ${ref.version} of ${JSON.stringify(ref.name)} is not among the charts of the instance.`,
      );
    const linked = link(stored);
    this.#linked.set(ref.version, linked);
    return linked;
  }
}

function versionsIn({ flow, versions = [] }: Charts): readonly StoredChart[] {
  return [...versions, ...(flow ? [flow] : [])];
}
