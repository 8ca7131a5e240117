import { isRecord } from '@dramaturg/compiler';
import type { Outline } from '@dramaturg/compiler/chart';

type Fields = Readonly<Record<string, unknown>>;

/** The parts of a lifecycle. Of several rows for one event, the first that applies is taken, so their order matters. */
export const outline: Outline = {
  parts: [
    { list: 'states', noun: 'state', id: 'name', order: 'free' },
    { list: 'rows', noun: 'row', name: rowName, order: 'matters among equal names' },
    { list: 'entry', noun: 'entry action', name: ({ word }) => String(word), order: 'matters' },
    { list: 'actions', noun: 'action', name: ({ word }) => String(word), order: 'matters' },
  ],
  references: { initial: 'state', name: 'state', from: 'state', to: 'state' },
  whole: ['from', 'to', 'guard'],
  // The kinds of states say which are terminal, and the rows say which state leads back.
  derived: [
    'at',
    'initialAt',
    'statesAt',
    'eventAt',
    'hasNameless',
    'wiring',
    'terminal',
    'returns',
  ],
};

/** `from ORDERED on pack` */
function rowName({ id, from, event }: Fields): string {
  const { kind, states } = (isRecord(from) ? from : {}) as Fields;
  const names = Array.isArray(states) ? states.map((state: Fields) => String(state['name'])) : [];
  const where = kind === 'any' ? 'any state' : kind === 'nothing' ? 'the start' : names.join(', ');
  const when = typeof event === 'string' ? `on ${event}` : 'at once';
  const name = `from ${where} ${when}`;
  return typeof id === 'string' && id !== '' ? `${id} ${name}` : name;
}
