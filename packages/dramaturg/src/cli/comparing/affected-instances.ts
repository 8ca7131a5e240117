import { counted, visible } from '@dramaturg/compiler/text';
import type { InstanceAssessment, MigrationMap, Verdict } from '@dramaturg/host';
import type { DefinitionFile, ReadOperations } from '@dramaturg/service/client';
import type { Output } from '../output.ts';

/** Instances of one version with the same fate. */
export interface AffectedGroup {
  readonly verdict: Verdict;
  readonly version: string;
  readonly because: readonly string[];
  readonly losses: readonly string[];
  readonly count: number;
  /** The ids of the oldest instances. */
  readonly examples: readonly string[];
}

const examplesMax = 3;
const pageLimit = 1_000;

/** All instances of a definition that have not ended and do not run the version yet, in pages. */
export async function* assessedPages(
  gateway: Pick<ReadOperations, 'assess'>,
  definition: DefinitionFile,
  map: MigrationMap,
): AsyncGenerator<readonly InstanceAssessment[]> {
  for (let after: string | undefined; ;) {
    const { items, next } = await gateway.assess({ definition, map, limit: pageLimit, after });
    yield items;
    if (next === undefined) return;
    after = next;
  }
}

/** Counts instances with the same fate. Its size does not grow with the number of instances. */
export class AffectedInstances {
  readonly #groups = new Map<string, AffectedGroup>();

  add({ id, verdict, version, because, losses }: InstanceAssessment): void {
    const key = JSON.stringify([verdict, version, because, losses]);
    const known = this.#groups.get(key);
    const { count = 0, examples = [] } = known ?? {};
    this.#groups.set(key, {
      verdict,
      version,
      because,
      losses,
      count: count + 1,
      examples: examples.length < examplesMax ? [...examples, id] : examples,
    });
  }

  countOf(verdict: Verdict): number {
    return this.groups
      .filter((group) => group.verdict === verdict)
      .reduce((sum, { count }) => sum + count, 0);
  }

  /** The largest groups first, blocked ones last. */
  get groups(): readonly AffectedGroup[] {
    const order: readonly Verdict[] = ['compatible', 'migratable', 'blocked'];
    return [...this.#groups.values()].toSorted(
      (a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict) || b.count - a.count,
    );
  }

  get counts(): Readonly<Record<Verdict, number>> {
    return {
      compatible: this.countOf('compatible'),
      migratable: this.countOf('migratable'),
      blocked: this.countOf('blocked'),
    };
  }
}

const colours = { compatible: 'green', migratable: 'yellow', blocked: 'red' } as const;

/** The groups for people. */
export function printAffected(affected: AffectedInstances, { paint }: Output): string {
  const { groups, counts } = affected;
  const all = counts.compatible + counts.migratable + counts.blocked;
  if (all === 0) return 'No running instance has another version.\n';
  const parts = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`);
  const lines = [`${counted(all, 'running instance')}: ${parts.join(', ')}.`];
  for (const { verdict, version, because, losses, count, examples } of groups) {
    const ids = examples.map((id) => visible(id)).join(', ');
    const more = count > examples.length ? ', ...' : '';
    lines.push(
      '',
      `${paint(colours[verdict], verdict)} ${count}, version ${visible(version)}: ${ids}${more}`,
      ...because.map((reason) => `    ${visible(reason)}`),
      ...losses.map((loss) => `    ${paint('red', 'loses:')} ${visible(loss)}`),
    );
  }
  return `${lines.join('\n')}\n`;
}
