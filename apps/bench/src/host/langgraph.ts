import { peer } from '../measure.ts';
import { messageText, replyText } from './stage.ts';

/** The part of LangGraph that the benchmark uses. */
interface LangGraph {
  readonly MessagesAnnotation: unknown;
  readonly Annotation: { readonly Root: (channels: object) => unknown };
  readonly DeltaChannel: new (reducer: unknown) => object;
  readonly messagesDeltaReducer: unknown;
  readonly START: string;
  readonly END: string;
  readonly StateGraph: new (annotation: unknown) => GraphBuilder;
}

interface GraphBuilder {
  readonly addNode: (
    name: string,
    run: (
      state: MessagesState,
      config: { readonly configurable: { readonly thread_id: string } },
    ) => object,
  ) => GraphBuilder;
  readonly addEdge: (from: string, to: string) => GraphBuilder;
  readonly compile: (options: { readonly checkpointer: unknown }) => {
    readonly invoke: (input: object, config: object) => Promise<MessagesState>;
  };
}

interface MessagesState {
  readonly messages: readonly { readonly content: string }[];
}

type MessageType = new (text: string) => object;

/** A SQLite checkpointer of LangGraph. */
export interface SqliteSaver {
  readonly db: { readonly pragma: (text: string) => unknown; readonly close: () => unknown };
}

/** @throws PeerError */
export function sqliteSaver(file: string): SqliteSaver {
  const { SqliteSaver: Saver } = peer('@langchain/langgraph-checkpoint-sqlite') as {
    SqliteSaver: { fromConnString: (file: string) => SqliteSaver };
  };
  return Saver.fromConnString(file);
}

interface GraphOptions {
  /**
   * Delivers the answer in its own node. Every step is then stored before the next one begins (`durability: 'sync'`), so that no
   * answer is delivered before it is stored. By default, a step is stored while the next one runs.
   */
  readonly deliver?: (thread: string, text: string) => void;
  /** Checkpoints have the new messages, and all messages every hundredth time. By default, each has all of them. */
  readonly delta?: boolean;
}

/**
 * Creates conversations in LangGraph as its documentation shows: its message state, a node that answers at once, and a
 * checkpointer.
 *
 * @returns a function that takes a turn of a thread
 * @throws PeerError
 */
export function langGraph(
  checkpointer: unknown,
  { deliver, delta = false }: GraphOptions = {},
): (thread: string, turn: number) => Promise<void> {
  const { START, END, StateGraph, ...langgraph } = peer('@langchain/langgraph') as LangGraph;
  const { Annotation, DeltaChannel, messagesDeltaReducer } = langgraph;
  const { AIMessage, HumanMessage } = peer('@langchain/core/messages') as {
    AIMessage: MessageType;
    HumanMessage: MessageType;
  };
  const state = delta
    ? Annotation.Root({ messages: () => new DeltaChannel(messagesDeltaReducer) })
    : langgraph.MessagesAnnotation;
  const chat = new StateGraph(state)
    .addNode('chat', ({ messages }) => ({
      messages: [new AIMessage(replyText(messages.at(-1)!.content))],
    }))
    .addEdge(START, 'chat');
  const graph = (
    deliver
      ? chat
          .addNode('deliver', ({ messages }, { configurable }) => {
            deliver(configurable.thread_id, messages.at(-1)!.content);
            return {};
          })
          .addEdge('chat', 'deliver')
          .addEdge('deliver', END)
      : chat.addEdge('chat', END)
  ).compile({ checkpointer });
  return async (thread, turn) => {
    const { messages } = await graph.invoke(
      { messages: [new HumanMessage(messageText(turn))] },
      { configurable: { thread_id: thread }, ...(deliver ? { durability: 'sync' } : {}) },
    );
    const answer = messages.at(-1)?.content;
    if (messages.length !== 2 * turn || answer !== replyText(messageText(turn)))
      throw new Error(`The thread went wrong at turn ${turn}: ${answer}`);
  };
}
