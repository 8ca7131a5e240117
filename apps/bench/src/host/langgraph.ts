import { peer } from '../peers.ts';
import { messageText, replyText } from './stage.ts';

/** The part of LangGraph that the benchmark uses. */
interface LangGraph {
  readonly MessagesAnnotation: unknown;
  readonly START: string;
  readonly END: string;
  readonly StateGraph: new (annotation: unknown) => GraphBuilder;
}

interface GraphBuilder {
  readonly addNode: (name: string, run: (state: MessagesState) => object) => GraphBuilder;
  readonly addEdge: (from: string, to: string) => GraphBuilder;
  readonly compile: (options: { readonly checkpointer: unknown }) => {
    readonly invoke: (input: object, config: object) => Promise<MessagesState>;
  };
}

interface MessagesState {
  readonly messages: readonly { readonly content: string }[];
}

type MessageType = new (text: string) => object;

/**
 * Creates conversations in LangGraph as its documentation shows: its message state, a node that answers at once, and its
 * SQLite checkpointer on a file with default settings.
 *
 * @returns a function that takes a turn of a thread
 * @throws PeerError
 */
export function langGraph(file: string): (thread: string, turn: number) => Promise<void> {
  const { MessagesAnnotation, START, END, StateGraph } = peer('@langchain/langgraph') as LangGraph;
  const { SqliteSaver } = peer('@langchain/langgraph-checkpoint-sqlite') as {
    SqliteSaver: { fromConnString: (file: string) => unknown };
  };
  const { AIMessage, HumanMessage } = peer('@langchain/core/messages') as {
    AIMessage: MessageType;
    HumanMessage: MessageType;
  };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('chat', ({ messages }) => ({
      messages: [new AIMessage(replyText(messages.at(-1)!.content))],
    }))
    .addEdge(START, 'chat')
    .addEdge('chat', END)
    .compile({ checkpointer: SqliteSaver.fromConnString(file) });
  return async (thread, turn) => {
    const { messages } = await graph.invoke(
      { messages: [new HumanMessage(messageText(turn))] },
      { configurable: { thread_id: thread } },
    );
    const answer = messages.at(-1)?.content;
    if (messages.length !== 2 * turn || answer !== replyText(messageText(turn)))
      throw new Error(`The thread went wrong at turn ${turn}: ${answer}`);
  };
}
