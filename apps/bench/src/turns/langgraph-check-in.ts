import { type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import {
  Annotation,
  END,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import type { ChatOpenAI } from '@langchain/openai';

/** The context graph docs/examples/check-in.context-graph.yaml, written by hand in LangGraph. */

const states = {
  welcome: {
    does: 'Say hello and explain the check-in.',
    exits: { ready: 'The person is ready.', stop: 'The person wants to stop.' },
  },
  ask_symptoms: {
    does: 'Ask about chest pain, and about shortness of breath. Acknowledge every answer. Never diagnose.',
    exits: { answered: 'Both were answered.', stop: 'The person wants to stop.' },
  },
  goodbye: { does: 'Sum up and say goodbye.', exits: {} },
} as const;

type Name = keyof typeof states;

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  state: Annotation<Name>({ reducer: (_, next) => next, default: () => 'welcome' }),
  exit: Annotation<string>({ reducer: (_, next) => next, default: () => 'stay' }),
  thought: Annotation<string>({ reducer: (_, next) => next, default: () => '' }),
});

type GraphState = typeof State.State;

const choice = {
  title: 'choice',
  type: 'object',
  properties: {
    choice: { type: 'string' },
    reason: { type: 'string', description: 'Why, in one sentence.' },
  },
  required: ['choice', 'reason'],
  additionalProperties: false,
};

const service = 'A check-in before exercise.';
const overview = Object.entries(states)
  .map(([name, { does, exits }]) => `- ${name}: ${does} Exits: ${JSON.stringify(exits)}`)
  .join('\n');

const toChoose = new SystemMessage(
  `${service} Choose the exit condition that the conversation has met, by its name, or "stay" when none is met.\nThe states:\n${overview}`,
);
const toThink = new SystemMessage(
  `${service} Think in at most 50 words: is there anything that speaks against exercise today?`,
);
const toDecide = new SystemMessage(
  `${service} Choose "missing" when something about the symptoms is missing, and "known" when everything is known.`,
);
const toSpeak = new SystemMessage(
  `${service} Write one message to the person, for the state that is given at the end. Do not mention states.\nThe states:\n${overview}`,
);

function asking(first: SystemMessage, { messages }: GraphState, last: string): BaseMessage[] {
  return [first, ...messages, new HumanMessage(`(${last})`)];
}

export function checkInInLangGraph(model: ChatOpenAI) {
  const choosing = model.withStructuredOutput(choice, { name: 'choice', method: 'jsonSchema' });
  const choose = async (messages: BaseMessage[]) =>
    ((await choosing.invoke(messages)) as { choice: string }).choice;
  return new StateGraph(State)
    .addNode('choose', async (state) => {
      const exits = Object.keys(states[state.state].exits);
      const exit = await choose(
        asking(toChoose, state, `State: ${state.state}. Options: stay, ${exits.join(', ')}`),
      );
      const next: Partial<Record<string, Name>> = { ready: 'ask_symptoms', stop: 'goodbye' };
      return { exit, state: next[exit] ?? state.state };
    })
    .addNode('think', async (state) => {
      const { text } = await model.invoke(asking(toThink, state, 'Think.'));
      return { thought: text };
    })
    .addNode('decide', async (state) => {
      const last = `Your thought: ${state.thought}. Options: missing, known`;
      const decision = await choose(asking(toDecide, state, last));
      return { state: decision === 'known' ? ('goodbye' as const) : ('ask_symptoms' as const) };
    })
    .addNode('reply', async (state) => ({
      messages: [
        await model.invoke(
          asking(toSpeak, state, `State: ${state.state}. Your last thought: ${state.thought}`),
        ),
      ],
    }))
    .addConditionalEdges(START, ({ messages }) => (messages.length === 0 ? 'reply' : 'choose'))
    .addConditionalEdges('choose', ({ exit }) => (exit === 'answered' ? 'think' : 'reply'))
    .addEdge('think', 'decide')
    .addEdge('decide', 'reply')
    .addEdge('reply', END)
    .compile({ checkpointer: new MemorySaver() });
}
