import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { npcOf, scenarioE } from './build.ts';
import { Session } from './session.ts';
import { scaled } from '../../../../.config/scaled.ts';

const verdicts = fc.array(fc.constantFrom('pass', 'redirect', 'reject', 'kick_out', 'follow_up'), {
  maxLength: 8,
});

describe('whatever is judged', () => {
  test('state.entered names the state left immediately before, also after a follow-up', async () => {
    await fc.assert(
      fc.asyncProperty(verdicts, async (given) => {
        const session = await Session.start(npcOf([scenarioE()]));
        for (const verdict of given) {
          if (session.isOver) break;
          // The evaluator is asked again after a follow-up that was not offered.
          await session.judge([verdict, verdict]);
        }
        const entered = session.events('state.entered');
        expect(entered.map(({ from }) => from)).toEqual([
          undefined,
          ...entered.slice(0, -1).map(({ state }) => state),
        ]);
      }),
      { numRuns: scaled(40) },
    );
  });

  test('a state is left after its redirect limit, whatever happens in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 4 }),
        fc.integer({ min: 0, max: 2 }),
        async (limit, probes) => {
          const session = await Session.start(npcOf([scenarioE({ redirect_limit: limit })]));
          for (let redirect = 0; redirect < limit; redirect += 1) {
            for (let probe = 0; probe < probes; probe += 1) await session.judge('follow_up');
            await session.judge('redirect');
            expect(session.stand.state).toBe('greeting');
          }
          await session.judge('redirect');
          expect(session.stand.state).toBe('offer');
        },
      ),
      { numRuns: scaled(20) },
    );
  });
});
