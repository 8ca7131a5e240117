import type { ObjectContext } from '@restatedev/restate-sdk';
import type { LinePosition } from '../contact/messages.ts';
import type { ServiceNames } from '../names.ts';
import { send } from './sends.ts';
import type { Head } from './state-layout.ts';

/** The position of an instance in the line of its contact. */
export function positionOf(head: Head): LinePosition {
  const { origin, revision, updatedAt, status, ended, holds, waits } = head;
  const { id, createdAt } = origin;
  return {
    id,
    createdAt,
    revision,
    updatedAt,
    status,
    ended,
    holds,
    waits,
  };
}

/** Reports to the line of the contact that an instance has moved in it. A new instance is put there by the line itself. */
export function sendMove(
  context: ObjectContext,
  { contact: service }: ServiceNames,
  before: Head,
  after: Head,
): void {
  const { contact: key } = after.origin;
  const hasMoved =
    before.ended !== after.ended || before.holds !== after.holds || before.waits !== after.waits;
  if (key === undefined || before.revision === 0 || !hasMoved) return;
  send(context, { service, key, handler: 'moved' }, positionOf(after));
}

/** Reports to the line of the contact that an instance was erased. */
export function sendErased(
  context: ObjectContext,
  { contact: service }: ServiceNames,
  { origin: { id, contact: key } }: Head,
): void {
  if (key !== undefined) send(context, { service, key, handler: 'erased' }, { id });
}
