import { langGraph, sqliteSaver } from '../../host/langgraph.ts';
import { peer } from '../../peers.ts';
import type { OpenContender } from '../contender.ts';

interface PostgresSaver {
  readonly setup: () => Promise<void>;
}

/** LangGraph with its SQLite checkpointer, which flushes each of its writes. */
export const langGraphOnSqlite: OpenContender = async ({ folder }, deliver) => {
  const saver = sqliteSaver(`${folder}/langgraph.db`);
  saver.db.pragma('synchronous = FULL');
  return { turn: langGraph(saver, { deliver }) };
};

/** LangGraph with its Postgres checkpointer and the connection pool of its defaults. */
export const langGraphOnPostgres: OpenContender = async ({ postgres }, deliver) => {
  const { PostgresSaver: Saver } = peer('@langchain/langgraph-checkpoint-postgres') as {
    PostgresSaver: { fromConnString: (url: string) => PostgresSaver };
  };
  const saver = Saver.fromConnString(postgres);
  await saver.setup();
  return { turn: langGraph(saver, { deliver }) };
};
