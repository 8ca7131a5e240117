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

const State = Annotation.Root({
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
const toSpeak = new SystemMessage(
  `${persona}\nThree sentences at most. Stay on the island in your words. Write Ada's next words and nothing else.`,
);

const directives: Readonly<Record<string, string>> = {
  opening: 'You speak first: open the conversation.',
  pass: 'The conversation has just come to this scene: answer the guest and lead over to it.',
  redirect: 'Answer the guest briefly and steer back to what this scene is about.',
  reject: 'Say the last words of the conversation: the guest does not stay.',
  kick_out: 'Say the last words of the conversation: you break it off.',
};

export function npcInLangGraph(model: ChatOpenAI) {
  const judging = model.withStructuredOutput(verdict, { name: 'verdict', method: 'jsonSchema' });
  return new StateGraph(State)
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
          toSpeak,
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
