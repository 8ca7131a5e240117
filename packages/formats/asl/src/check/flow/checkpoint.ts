import type { Checkpoint } from '../../definition/index.ts';
import { sourceAt } from './source.ts';
import { objectOf } from './value-set.ts';
import { type StateWays, worked } from './ways.ts';

/** The result is the record of the save point. */
export const checkpointWays: StateWays<Checkpoint> = {
  enter(visit) {
    visit.flow.select();
    const source = sourceAt(visit.sight.state, 'Name');
    return worked(visit, objectOf(new Map([['checkpoint', 'any']]), [source]));
  },
};
