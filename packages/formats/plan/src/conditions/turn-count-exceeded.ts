import type { ConditionKind } from './kind.ts';

export interface Terms {
  readonly turns: number;
  readonly scope: 'without_progress' | 'total';
}

/** A number of turns has passed in the state: of all turns, or of those without progress. */
export const turnCountExceeded: ConditionKind<'turn_count_exceeded', Terms> = {
  type: 'turn_count_exceeded',
  otherNames: ['turns_exceeded', 'max_turns'],
  read: (fields) => {
    const turns = fields.number('zero or more', (number) => number >= 0, 'turns', 'value');
    const scope = fields.word('scope', scopes, 'without_progress');
    return turns === undefined || scope === undefined
      ? undefined
      : { turns: Math.floor(turns), scope };
  },
  inWords: ({ turns, scope }) =>
    `${turns} ${scope === 'total' ? 'turns' : 'turns without progress'}`,
  holds: ({ turns, scope }, conversation) =>
    (scope === 'total' ? conversation.turns : conversation.idleTurns) >= turns,
  alwaysHolds: ({ turns }) => turns === 0,
};

const scopes = { without_progress: 'without_progress', total: 'total' } as const;
