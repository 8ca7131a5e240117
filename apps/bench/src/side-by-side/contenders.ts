import type { OpenContender } from './contender.ts';
import { dbos } from './contenders/dbos.ts';
import { langGraphOnPostgres, langGraphOnSqlite } from './contenders/langgraph.ts';
import { openWorkflow } from './contenders/openworkflow.ts';
import {
  oursFollowedOnPostgres,
  oursOnLowdb,
  oursOnPostgres,
  oursOnRestate,
  oursOnSqlite,
} from './contenders/ours.ts';
import { acceptingObject, oneHandlerObject } from './contenders/restate-object.ts';
import { threeInserts } from './contenders/three-inserts.ts';

/** All contenders, by their names in the results. */
export const contenders = {
  'ours on lowdb': oursOnLowdb,
  'ours on sqlite': oursOnSqlite,
  'ours on Postgres': oursOnPostgres,
  'ours on Postgres, followed': oursFollowedOnPostgres,
  'ours on Restate': oursOnRestate,
  'LangGraph with SqliteSaver': langGraphOnSqlite,
  DBOS: dbos,
  openworkflow: openWorkflow,
  'LangGraph with PostgresSaver': langGraphOnPostgres,
  'three inserts on Postgres': threeInserts,
  'a Restate object that accepts messages': acceptingObject,
  'a Restate object of one handler': oneHandlerObject,
} satisfies Record<string, OpenContender>;

export type ContenderName = keyof typeof contenders;
