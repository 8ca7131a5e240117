import { type CoverageUnit, missingWords, reachedKeys } from '@dramaturg/compiler/chart';
import type { CountedUnit } from '@dramaturg/drawing';
import type { ColorScheme } from '../color-scheme.ts';

export interface CoverageListProps {
  /** What was reached, as in the output of `dramaturg test --coverage --json`. */
  readonly units: readonly CountedUnit[];
  /** The selected part. */
  readonly selected?: CountedUnit | undefined;
  /** Called with a part that was not reached, for `highlighted` of `Statechart`. */
  readonly onSelect?: ((unit: CountedUnit) => void) | undefined;
  /** Light, dark, or as the reader's system says (`auto`, the default). */
  readonly colorScheme?: ColorScheme | undefined;
}

/** Maximum number of rows of each kind. */
const mostRows = 200;

const groups = [
  { title: 'States', kinds: ['state'], noun: 'states' },
  { title: 'Transitions', kinds: ['transition'], noun: 'transitions' },
  { title: 'Conditions', kinds: ['condition', 'operand'], noun: 'results of conditions' },
] as const;

/** Shows how much of a definition was reached, and the parts that were not. */
export function CoverageList({
  units,
  selected,
  onSelect,
  colorScheme = 'auto',
}: CoverageListProps) {
  const missing = units.filter(({ hits }) => hits === 0);
  const reached = reachedKeys(units as readonly (CountedUnit & CoverageUnit)[]);
  return (
    <div
      role="group"
      className="dg dg-coverage"
      data-color-scheme={colorScheme}
      aria-label="Coverage"
    >
      <p className="dg-coverage-counts" role="status">
        {coverageWords(units)}
      </p>
      {missing.length === 0 && <p className="dg-coverage-more">Everything was reached.</p>}
      {groups.map(({ title, kinds }) => {
        const own = missing.filter(({ kind }) => kinds.some((each) => each === kind));
        if (own.length === 0) return null;
        return (
          <section key={title} aria-label={title}>
            <h4>
              {title} <small>{own.length}</small>
            </h4>
            <ul>
              {own.slice(0, mostRows).map((unit) => (
                <li key={keyOf(unit)}>
                  <button
                    type="button"
                    aria-pressed={selected !== undefined && keyOf(unit) === keyOf(selected)}
                    onClick={() => onSelect?.(unit)}
                  >
                    <span>{unit.label ?? unit.path.join(' › ')}</span>
                    <small>{missingWords(unit as CoverageUnit, reached)}</small>
                  </button>
                </li>
              ))}
            </ul>
            {own.length > mostRows && (
              <p className="dg-coverage-more">{own.length - mostRows} more.</p>
            )}
          </section>
        );
      })}
    </div>
  );
}

/** `12 of 14 states, 20 of 31 transitions` */
function coverageWords(units: readonly CountedUnit[]): string {
  const words = groups.flatMap(({ kinds, noun }) => {
    const own = units.filter(({ kind }) => kinds.some((each) => each === kind));
    const hit = own.filter(({ hits }) => hits > 0).length;
    return own.length > 0 ? `${hit} of ${own.length} ${noun}` : [];
  });
  return words.join(', ');
}

function keyOf({ kind, path, holds, from }: CountedUnit): string {
  return JSON.stringify([kind, path, holds, from]);
}
