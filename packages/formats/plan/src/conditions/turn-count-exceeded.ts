import type { ConditionKind } from './kind.ts';

export interface Terms {
  readonly turns: number;
  readonly scope: 'without_progress' | 'total';
  /** Messages in which the person asks something instead do not count. */
  readonly count?: 'unanswered';
}

/** A number of turns has passed in the state: of all turns, or of those without progress. */
export const turnCountExceeded: ConditionKind<'turn_count_exceeded', Terms> = {
  type: 'turn_count_exceeded',
  otherNames: ['turns_exceeded', 'max_turns'],
  read: (fields) => {
    const turns = fields.number('zero or more', (number) => number >= 0, 'turns', 'value');
    const scope = fields.word('scope', scopes, 'without_progress');
    const count = fields.word('count', counts, 'all');
    if (turns === undefined || count === undefined) return undefined;
    return { turns: Math.floor(turns), scope, ...(count === 'unanswered' && { count }) };
  },
  inWords: ({ turns, scope }) =>
    `${turns} ${scope === 'total' ? 'turns' : 'turns without progress'}`,
  holds: ({ turns, scope, count }, conversation) => {
    const isTotal = scope === 'total';
    const { all, idle } = conversation.digressions;
    const passed = isTotal ? conversation.turns : conversation.idleTurns;
    return passed - (count ? (isTotal ? all : idle) : 0) >= turns;
  },
  alwaysHolds: ({ turns }) => turns === 0,
};

const counts = { all: 'all', unanswered: 'unanswered' } as const;
const scopes = { without_progress: 'without_progress', total: 'total' } as const;
