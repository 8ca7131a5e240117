import type { Path } from '../path.ts';
import type { PlacePattern } from './authoring.ts';

export function fitsPattern(path: Path, pattern: PlacePattern): boolean {
  const isAnywhere = pattern[0] === '**';
  const steps = isAnywhere ? pattern.slice(1) : pattern;
  const start = path.length - steps.length;
  if (isAnywhere ? start < 0 : start !== 0) return false;
  return steps.every((step, index) => {
    const own = path[start + index];
    if (step === '*') return typeof own === 'string';
    return step === '#' ? typeof own === 'number' : step === own;
  });
}
