import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import {
  Annotation,
  END,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import type { ChatOpenAI } from '@langchain/openai';

/** The plan docs/examples/customer-intake.plan.json, written by hand in LangGraph. */

const fields = {
  customer_name: 'What is your name?',
  account_number: 'What is your account number?',
  issue_type: 'What kind of issue do you have? One of: billing, technical, general.',
  invoice_number: 'Which invoice is it about?',
  disputed_amount: 'Which amount is in doubt?',
  refund_wanted: 'Would you like a refund?',
  symptom: 'What does not work?',
  restart_helped: 'Please restart the device. Did that help?',
  topic: 'What would you like to know about?',
  budget: 'Is there a budget to keep to?',
} as const;

type Field = keyof typeof fields;

const stages: Readonly<
  Record<string, { readonly task: string; readonly wants: readonly Field[] }>
> = {
  greeting: {
    task: 'Welcome the customer, say that you are here to help, and ask how they would like to be called.',
    wants: ['customer_name'],
  },
  intake: {
    task: 'Identify the customer, then determine the type of their issue: billing, technical or general.',
    wants: ['customer_name', 'account_number', 'issue_type'],
  },
  billing: {
    task: 'Clear up a charge: find out which invoice it is about and which amount is in doubt. Ask whether the customer would like the amount back.',
    wants: ['invoice_number', 'disputed_amount', 'refund_wanted'],
  },
  technical: {
    task: 'Find out what does not work, and whether a restart has helped.',
    wants: ['symptom', 'restart_helped'],
  },
  general: {
    task: 'Answer whatever else the customer would like to know.',
    wants: ['topic', 'budget'],
  },
  farewell: { task: 'Sum up what happens next, and say goodbye.', wants: [] },
};

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  stage: Annotation<string>({ reducer: (_, next) => next, default: () => 'greeting' }),
  known: Annotation<Partial<Record<Field, string>>>({
    reducer: (before, now) => ({ ...before, ...now }),
    default: () => ({}),
  }),
});

type PlanState = typeof State.State;

const extraction = {
  title: 'extraction',
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(fields).map(([key, description]) => [key, { type: 'string', description }]),
  ),
  additionalProperties: false,
};

const overview = Object.entries(stages)
  .map(([name, { task, wants }]) => `- ${name}: ${task} Wants: ${wants.join(', ') || 'nothing'}.`)
  .join('\n');

const toExtract = new SystemMessage(
  `You take notes in a conversation of customer support.\nRecord what the customer has clearly said and nothing else: no guesses. Leave out what they did not say.\nThe stages:\n${overview}`,
);
const toSpeak = new SystemMessage(
  `You hold a conversation of customer support: you welcome customers, find out who they are and what is wrong, and help with it.\nWrite the next message to the customer and nothing else. Stay in the stage that is given at the end.\nThe stages:\n${overview}`,
);

function missing({ stage, known }: Pick<PlanState, 'stage' | 'known'>): Field[] {
  return stages[stage]!.wants.filter((field) => known[field] === undefined);
}

/** The part that changes from turn to turn comes last, so that the provider can cache the rest. */
function where(state: PlanState): HumanMessage {
  return new HumanMessage(
    `(Stage: ${state.stage}. Known: ${JSON.stringify(state.known)}. Missing: ${missing(state).join(', ')})`,
  );
}

function nextStage({ stage, known }: PlanState): string {
  switch (stage) {
    case 'greeting':
      return 'intake';
    case 'intake':
      return known.issue_type === 'billing' || known.issue_type === 'technical'
        ? known.issue_type
        : 'general';
    default:
      return 'farewell';
  }
}

export function planInLangGraph(model: ChatOpenAI) {
  const extracting = model.withStructuredOutput(extraction, {
    name: 'extraction',
    method: 'jsonSchema',
  });
  return new StateGraph(State)
    .addNode('extract', async (state) => ({
      known: (await extracting.invoke([toExtract, ...state.messages, where(state)])) as object,
    }))
    .addNode('advance', (state) => {
      let { stage } = state;
      // Skips a stage if its values are already known.
      while (stage !== 'farewell' && missing({ ...state, stage }).length === 0)
        stage = nextStage({ ...state, stage });
      return { stage };
    })
    .addNode('reply', async (state) => ({
      messages: [await model.invoke([toSpeak, ...state.messages, where(state)])],
    }))
    .addConditionalEdges(START, ({ messages }) => (messages.length === 0 ? 'reply' : 'extract'))
    .addEdge('extract', 'advance')
    .addEdge('advance', 'reply')
    .addEdge('reply', END)
    .compile({ checkpointer: new MemorySaver() });
}
