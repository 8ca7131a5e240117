import type { CoverageUnit } from '@dramaturg/compiler/chart';
import { inputMark } from './inputs-of.ts';
import type { ChosenWay } from './select-ways.ts';

const longest = 100;

/** A name for each test, in the words of the definition: the last thing that only this test reaches. */
export function testNames(
  ways: readonly ChosenWay[],
  units: ReadonlyMap<string, CoverageUnit>,
): readonly string[] {
  const used = new Map<string, number>();
  return ways.map(({ reasons }) => {
    const own = reasons.flatMap((reason) => units.get(reason) ?? []);
    const unit =
      own.findLast(({ kind }) => kind === 'transition') ??
      own.findLast(({ kind }) => kind === 'condition' || kind === 'operand') ??
      own.at(-1);
    const input = reasons.find((reason) => reason.startsWith(inputMark));
    const name = unit ? nameOf(unit) : (input?.slice(inputMark.length, longest) ?? 'another way');
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

function nameOf({ kind, holds, label }: CoverageUnit): string {
  const short = label.replaceAll(/\s+/g, ' ').slice(0, longest);
  if (kind === 'state') return `reaches ${short}`;
  return kind === 'transition' || holds === true ? short : `not ${short}`;
}
