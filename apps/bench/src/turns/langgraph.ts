import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChatRequest,
  type ModelAnswer,
  modelServer,
  type ModelServer,
  PromptCache,
  usageFor,
} from '@dramaturg/langchain/testing';
import { type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import {
  Annotation,
  END,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { Script } from '../prompts/scripted-model.ts';

/** The measured definitions as LangGraph programs, by name. */
const programs = {
  plan: planInLangGraph,
  NPC: npcInLangGraph,
  'context graph': checkInInLangGraph,
};

export type ProgramName = keyof typeof programs;

/**
 * Plays a conversation with a program in LangGraph. Its model gives the same answers as ours, and moves on with the same
 * messages.
 *
 * @returns its cost, and the last state of the thread
 */
export async function playInLangGraph(
  name: ProgramName,
  turns: number,
  pace: number,
): Promise<{ readonly cost: Cost; readonly state: Readonly<Record<string, unknown>> }> {
  const script = new Script(pace);
  const { server, cost } = await meteredServer((request) => answerTo(request, script));
  const program = programs[name](
    new ChatOpenAI({
      model: 'measured',
      apiKey: 'key-of-the-test-server',
      configuration: { baseURL: server.baseUrl },
      maxRetries: 0,
    }),
  );
  const config = { configurable: { thread_id: 'measured' } };
  await program.invoke({ messages: [] }, config);
  for (let turn = 1; turn <= turns; turn += 1)
    await program.invoke({ messages: [new HumanMessage(script.personSays(turn))] }, config);
  const { values } = await program.getState(config);
  await server[Symbol.asyncDispose]();
  return { cost, state: values as Readonly<Record<string, unknown>> };
}

function answerTo({ response_format: form, messages }: ChatRequest, script: Script): ModelAnswer {
  const last = messages.at(-1)?.content ?? '';
  const json = (value: object) => ({ text: JSON.stringify(value) });
  switch (form?.json_schema?.name) {
    case 'extraction': {
      const [, wanted] = /Missing: (\w+)/.exec(last) ?? [];
      if (!script.moves || wanted === undefined) return json({});
      return json({ [wanted]: wanted === 'issue_type' ? 'billing' : 'since Monday evening' });
    }
    case 'verdict':
      return json({ verdict: script.moves ? 'pass' : 'redirect', reason: 'So it seems.' });
    case 'choice': {
      const [, listed = ''] = /Options: (.*)\)/.exec(last) ?? [];
      const [stays, moves] = listed.split(', ');
      const choice = script.moves && stays === 'stay' ? moves : stays;
      return json({ choice, reason: 'So it seems.' });
    }
    default:
      return last.endsWith('(Think.)') ? script.think() : script.reply({ directions: [] });
  }
}

/** The cost of the requests of a conversation. Four characters count as a token. */
export interface Cost {
  readonly requests: number;
  readonly inputTokens: number;
  /** Tokens that are not in a shared prefix with an earlier request. */
  readonly newTokens: number;
  readonly outputTokens: number;
}

/** The latency of the model, in milliseconds: about a twentieth of that of a hosted one. */
const [beforeFirstToken, perToken] = [20, 0.5];

const charactersOfToken = 4;

/** Starts a model on this machine that counts its requests and answers with latency. */
export async function meteredServer(
  answer: (request: ChatRequest) => ModelAnswer,
): Promise<{ readonly server: ModelServer; readonly cost: Cost }> {
  const cache = new PromptCache();
  const cost = { requests: 0, inputTokens: 0, newTokens: 0, outputTokens: 0 };
  const server = await modelServer(async (request) => {
    const given = answer(request);
    const { input, cached } = cache.count(request);
    const output = outputTokens(given);
    cost.requests += 1;
    cost.inputTokens += input;
    cost.newTokens += input - cached;
    cost.outputTokens += output;
    await sleep(beforeFirstToken + perToken * output);
    return { ...given, usage: { ...usageFor({ input, cached }), completion_tokens: output } };
  });
  return { server, cost };
}

function outputTokens({ text = '', toolCalls = [] }: ModelAnswer): number {
  const calls = toolCalls.length === 0 ? '' : JSON.stringify(toolCalls);
  return Math.ceil((text.length + calls.length) / charactersOfToken);
}

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

const CheckInAnnotation = Annotation.Root({
  ...MessagesAnnotation.spec,
  state: Annotation<Name>({ reducer: (_, next) => next, default: () => 'welcome' }),
  exit: Annotation<string>({ reducer: (_, next) => next, default: () => 'stay' }),
  thought: Annotation<string>({ reducer: (_, next) => next, default: () => '' }),
});

type GraphState = typeof CheckInAnnotation.State;

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

function checkInInLangGraph(model: ChatOpenAI) {
  const choosing = model.withStructuredOutput(choice, { name: 'choice', method: 'jsonSchema' });
  const choose = async (messages: BaseMessage[]) =>
    ((await choosing.invoke(messages)) as { choice: string }).choice;
  return new StateGraph(CheckInAnnotation)
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

/** The scenario apps/bench/src/prompts/inn.npc.json, written by hand in LangGraph. */

const scenes = [
  {
    name: 'arrival',
    does: 'Ask the guest what brings them to the island, and listen.',
    pass: 'The guest says why they came.',
  },
  {
    name: 'room',
    does: 'Offer the small room with the sea view, and find out for how many nights.',
    pass: 'The guest says for how many nights.',
  },
  {
    name: 'supper',
    does: 'Ask what they eat, and what they do not.',
    pass: 'The guest says what they do not eat.',
  },
  { name: 'boat', does: 'Agree on a boat for the way back.', pass: 'The guest picks a boat.' },
  {
    name: 'terms',
    does: 'Name the price for everything, and ask whether it suits them.',
    pass: 'The guest agrees to the price.',
  },
  { name: 'agreed', does: 'Hand over the key and say when supper is.', pass: '' },
] as const;

const NpcAnnotation = Annotation.Root({
  ...MessagesAnnotation.spec,
  scene: Annotation<number>({ reducer: (_, next) => next, default: () => 0 }),
  verdict: Annotation<string>({ reducer: (_, next) => next, default: () => 'opening' }),
});

const verdict = {
  title: 'verdict',
  type: 'object',
  properties: {
    verdict: { type: 'string', enum: ['pass', 'redirect', 'reject', 'kick_out'] },
    reason: { type: 'string', description: 'Why, in one sentence.' },
  },
  required: ['verdict', 'reason'],
  additionalProperties: false,
};

const persona =
  'You are Ada, who keeps the only inn of a small island. You are warm, curious and thrifty with words.';

const toJudge = new SystemMessage(
  [
    "Judge the guest's last message by what Ada can hear. The objective: agree with a guest on a stay. Won when everything is agreed, lost when the guest leaves.",
    persona,
    'Verdicts: redirect when the guest talks about something else, reject when they do not want to stay, kick_out when they threaten somebody, and pass by the scene:',
    ...scenes.map(({ name, pass }) => `- ${name}: ${pass}`),
  ].join('\n'),
);
const toAct = new SystemMessage(
  `${persona}\nThree sentences at most. Stay on the island in your words. Write Ada's next words and nothing else.`,
);

const directives: Readonly<Record<string, string>> = {
  opening: 'You speak first: open the conversation.',
  pass: 'The conversation has just come to this scene: answer the guest and lead over to it.',
  redirect: 'Answer the guest briefly and steer back to what this scene is about.',
  reject: 'Say the last words of the conversation: the guest does not stay.',
  kick_out: 'Say the last words of the conversation: you break it off.',
};

function npcInLangGraph(model: ChatOpenAI) {
  const judging = model.withStructuredOutput(verdict, { name: 'verdict', method: 'jsonSchema' });
  return new StateGraph(NpcAnnotation)
    .addNode('judge', async ({ messages, scene }) => {
      const given = (await judging.invoke([
        toJudge,
        ...messages,
        new HumanMessage(`(Scene: ${scenes[scene]!.name})`),
      ])) as { verdict: string };
      const moved = given.verdict === 'pass' ? Math.min(scene + 1, scenes.length - 1) : scene;
      return { verdict: given.verdict, scene: moved };
    })
    .addNode('reply', async ({ messages, scene, verdict: last }) => ({
      messages: [
        await model.invoke([
          toAct,
          ...messages,
          new HumanMessage(
            `(Scene: ${scenes[scene]!.name}. ${scenes[scene]!.does} ${directives[last]})`,
          ),
        ]),
      ],
    }))
    .addConditionalEdges(START, ({ messages }) => (messages.length === 0 ? 'reply' : 'judge'))
    .addEdge('judge', 'reply')
    .addEdge('reply', END)
    .compile({ checkpointer: new MemorySaver() });
}

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

const PlanAnnotation = Annotation.Root({
  ...MessagesAnnotation.spec,
  stage: Annotation<string>({ reducer: (_, next) => next, default: () => 'greeting' }),
  known: Annotation<Partial<Record<Field, string>>>({
    reducer: (before, now) => ({ ...before, ...now }),
    default: () => ({}),
  }),
});

type PlanState = typeof PlanAnnotation.State;

const extraction = {
  title: 'extraction',
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(fields).map(([key, description]) => [key, { type: 'string', description }]),
  ),
  additionalProperties: false,
};

const overviewOfPlan = Object.entries(stages)
  .map(([name, { task, wants }]) => `- ${name}: ${task} Wants: ${wants.join(', ') || 'nothing'}.`)
  .join('\n');

const toExtract = new SystemMessage(
  `You take notes in a conversation of customer support.\nRecord what the customer has clearly said and nothing else: no guesses. Leave out what they did not say.\nThe stages:\n${overviewOfPlan}`,
);
const toReply = new SystemMessage(
  `You hold a conversation of customer support: you welcome customers, find out who they are and what is wrong, and help with it.\nWrite the next message to the customer and nothing else. Stay in the stage that is given at the end.\nThe stages:\n${overviewOfPlan}`,
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

function planInLangGraph(model: ChatOpenAI) {
  const extracting = model.withStructuredOutput(extraction, {
    name: 'extraction',
    method: 'jsonSchema',
  });
  return new StateGraph(PlanAnnotation)
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
      messages: [await model.invoke([toReply, ...state.messages, where(state)])],
    }))
    .addConditionalEdges(START, ({ messages }) => (messages.length === 0 ? 'reply' : 'extract'))
    .addEdge('extract', 'advance')
    .addEdge('advance', 'reply')
    .addEdge('reply', END)
    .compile({ checkpointer: new MemorySaver() });
}
