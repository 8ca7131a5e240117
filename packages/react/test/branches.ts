/** A Parallel whose second branch fails in `Read`, while `Then` and `Hold` of the first are innocent. */
export function branches({ isCaught = false } = {}): string {
  const pass = { Type: 'Pass' };
  return JSON.stringify({
    StartAt: 'Both',
    States: {
      Both: {
        Type: 'Parallel',
        Branches: [
          {
            StartAt: 'Pause',
            States: {
              Pause: { ...pass, Next: 'Hold' },
              Hold: { Type: 'Wait', Seconds: 60, End: true },
            },
          },
          {
            StartAt: 'Look',
            States: {
              Look: { ...pass, Next: 'Read' },
              Read: isCaught
                ? { Type: 'Fail', Error: 'Unreadable' }
                : { ...pass, InputPath: '$.missing', End: true },
            },
          },
        ],
        ...(isCaught ? { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Mend' }] } : {}),
        End: true,
      },
      ...(isCaught ? { Mend: { ...pass, End: true } } : {}),
    },
  });
}
