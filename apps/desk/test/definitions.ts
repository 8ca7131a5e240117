import { compile, conversationLifecycle } from 'dramaturg';

const intake = {
  id: 'intake',
  title: 'Intake',
  description: 'Learns who somebody is and what happened.',
  states: [
    {
      id: 'person',
      title: 'Who you are',
      type: 'strict',
      description: 'Find out who writes',
      tasks: [
        {
          id: 'name',
          description: 'Name',
          instruction: 'Ask for the name',
          deliverables: [{ key: 'name', type: 'string', description: 'What is your name?' }],
        },
      ],
      transitions: [{ target_state_id: 'damage', condition_type: 'all_tasks_complete' }],
    },
    {
      id: 'damage',
      title: 'What happened',
      type: 'strict',
      description: 'Take down the damage',
      tasks: [
        {
          id: 'story',
          description: 'Story',
          instruction: 'Ask what happened',
          deliverables: [{ key: 'story', type: 'string', description: 'What happened?' }],
        },
        {
          id: 'place',
          description: 'Place',
          instruction: 'Ask where it happened',
          deliverables: [{ key: 'place', type: 'string', description: 'Where was it?' }],
        },
        {
          id: 'amount',
          description: 'Amount',
          instruction: 'Ask how much the damage is',
          deliverables: [{ key: 'amount', type: 'number', description: 'How many euros is it?' }],
        },
      ],
    },
  ],
};

const payment = {
  StartAt: 'Approve',
  States: {
    Approve: {
      Type: 'Approval',
      Prompt: 'Pay {{$.amount}} euros to {{$.name}}?',
      Editable: { Fields: ['$.amount'] },
      Policy: {
        Approvers: { Users: ['Bo'], Roles: ['finance'] },
        RequiredApprovals: 2,
        RequireReason: true,
      },
      Timeout: '4h',
      Escalation: { After: '2h', EscalateTo: 'Cleo' },
      ResultPath: '$.review',
      End: true,
    },
  },
};

const parts = {
  StartAt: 'Choose',
  States: {
    Choose: {
      Type: 'Approval',
      Prompt: 'Order which parts?',
      ItemsPath: '$.parts',
      BatchMode: { AllowPartial: true },
      ResultPath: '$.review',
      End: true,
    },
  },
};

const order = {
  StartAt: 'Ship',
  States: { Ship: { Type: 'Task', Agent: 'Carrier', End: true } },
};

/** A conversation whose failed calls are not repeated, and two workflows with decisions. */
export function officeDefinitions() {
  const policies = { ...conversationLifecycle.policies, model_failure: { attempts: 1 } };
  const lifecycle = compile(JSON.stringify({ ...conversationLifecycle, policies }));
  return {
    intake: {
      definition: compile(JSON.stringify(intake), { fileName: 'intake.plan.json' }),
      lifecycle,
    },
    payment: compile(JSON.stringify(payment), { fileName: 'payment.asl.json' }),
    parts: compile(JSON.stringify(parts), { fileName: 'parts.asl.json' }),
    order: compile(JSON.stringify(order), { fileName: 'order.asl.json' }),
  };
}
