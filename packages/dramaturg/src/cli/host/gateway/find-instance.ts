import { visible } from '@dramaturg/compiler/text';
import { exitCodes, UsageError } from '../../usage-error.ts';
import type { ReadingGateway } from './gateway.ts';
import { wordsFor } from '../restate/location.ts';

const shortestPrefix = 4;

const unknown = [exitCodes.usage, 'host/unknown-instance'] as const;

/** Finds the id of an instance by the id or its first characters. */
export async function findInstance(
  gateway: ReadingGateway,
  given: string,
  folder: string,
): Promise<string> {
  const name = `"${visible(given)}"`;
  const list = `"dramaturg ps ${wordsFor(folder)} --all" lists the instances.`;
  if (given === '') throw new UsageError('The id is empty.', list);
  const found = await gateway.find({ prefix: given });
  const exact = found.find(({ id }) => id === given);
  if (exact) return exact.id;
  if (given.length < shortestPrefix) {
    throw new UsageError(
      `There is no instance ${name}.`,
      `Write the whole id, or at least its first ${shortestPrefix} characters. ${list}`,
      ...unknown,
    );
  }
  const [only] = found;
  if (!only)
    throw new UsageError(`There is no instance whose id begins with ${name}.`, list, ...unknown);
  if (found.length === 1) return only.id;
  const ids = found.map(({ id }) => visible(id));
  throw new UsageError(
    `The ids of several instances begin with ${name}.`,
    `Write more characters. The ids are: ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', ...' : ''}.`,
  );
}
