/** A workflow in which one branch waits for a person while the other continues. */
export const publishing = JSON.stringify(
  {
    Comment: 'A text is approved and translated at once, and then published',
    StartAt: 'Prepare',
    States: {
      Prepare: {
        Type: 'Parallel',
        Branches: [
          {
            StartAt: 'Approve',
            States: {
              Approve: {
                Type: 'Approval',
                Prompt: 'May "{{$.title}}" be published?',
                Options: ['approve', 'refuse'],
                ResultPath: '$.decision',
                Choices: [
                  {
                    Variable: '$.decision.approval',
                    StringEquals: 'approve',
                    Next: 'Approved',
                  },
                ],
                Default: 'Refused',
              },
              Approved: { Type: 'Succeed', OutputPath: '$.decision.approval' },
              Refused: { Type: 'Fail', Error: 'Refused', Cause: 'The text is not published' },
            },
          },
          {
            StartAt: 'Translate',
            States: {
              Translate: { Type: 'Task', Agent: 'Translate', Next: 'Proofread' },
              Proofread: { Type: 'Task', Agent: 'Proofread', End: true },
            },
          },
        ],
        Catch: [{ ErrorEquals: ['Refused'], ResultPath: '$.problem', Next: 'PutAside' }],
        ResultPath: '$.prepared',
        Next: 'Publish',
      },
      Publish: { Type: 'Task', Agent: 'Publish', End: true },
      PutAside: { Type: 'Succeed' },
    },
  },
  null,
  2,
);
