import type { StateBase, Succeed } from '../definition/index.ts';

export function readSucceed(base: StateBase): Succeed {
  return { ...base, Type: 'Succeed' };
}
