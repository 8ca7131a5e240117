/** A workflow in which a person approves the large items of a Map, while the others continue. */
export const claims = JSON.stringify(
  {
    Comment: 'Each claim of an expense report is paid, and a large one only after an approval',
    StartAt: 'Claims',
    States: {
      Claims: {
        Type: 'Map',
        ItemsPath: '$.claims',
        MaxConcurrency: 2,
        ItemProcessor: {
          StartAt: 'IsLarge',
          States: {
            IsLarge: {
              Type: 'Choice',
              Choices: [{ Variable: '$.euros', NumericGreaterThan: 100, Next: 'Approve' }],
              Default: 'Pay',
            },
            Approve: {
              Type: 'Approval',
              Prompt: 'Pay {{$.euros}} euros for the {{$.what}}?',
              Options: ['approve', 'refuse'],
              ResultPath: '$.decision',
              Choices: [{ Variable: '$.decision.approval', StringEquals: 'approve', Next: 'Pay' }],
              Default: 'Refused',
            },
            Pay: { Type: 'Task', Agent: 'Pay', End: true },
            Refused: { Type: 'Pass', Result: 'not paid', End: true },
          },
        },
        End: true,
      },
    },
  },
  null,
  2,
);
