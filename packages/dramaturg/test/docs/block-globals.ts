/** What the code of the pages uses without declaring it: names that only the reader has, and those of ours that an earlier block of the page has. */
export const blockGlobals = `
import type * as Dramaturg from 'dramaturg';
import type * as Service from 'dramaturg/service';
import type * as Compiler from '@dramaturg/compiler';
import type * as Inspector from '@dramaturg/inspector';
import type * as History from '@dramaturg/host/browser';
import type * as Langchain from '@dramaturg/langchain';
import type * as OpenTelemetry from '@dramaturg/opentelemetry';
import type * as Postgres from '@dramaturg/postgres';
import type * as React from '@dramaturg/react';
import type * as Telegram from '@dramaturg/channel-telegram';
import type * as Web from '@dramaturg/channel-web';
import type * as XState from 'xstate';
import type * as Files from 'node:fs/promises';

declare global {
  const compile: typeof Dramaturg.compile;
  const conversationLifecycle: typeof Dramaturg.conversationLifecycle;
  const createActor: typeof XState.createActor;
  const createHost: typeof Dramaturg.createHost;
  const langchainPorts: typeof Langchain.langchainPorts;
  const limitPorts: typeof Dramaturg.limitPorts;
  const InstanceHistory: typeof History.InstanceHistory;
  const link: typeof Compiler.link;
  const attachmentFolder: typeof Dramaturg.attachmentFolder;
  const lowdbStore: typeof Dramaturg.lowdbStore;
  const postgresStore: typeof Postgres.postgresStore;
  const providePorts: typeof Dramaturg.providePorts;
  const readFile: typeof Files.readFile;
  const serveHost: typeof Service.serveHost;
  const telegramChannel: typeof Telegram.telegramChannel;
  const traceHost: typeof OpenTelemetry.traceHost;
  const tracedPorts: typeof OpenTelemetry.tracedPorts;
  const useHost: typeof React.useHost;
  const watchGuards: typeof Inspector.watchGuards;
  const webChannel: typeof Web.webChannel;

  const host: Awaited<ReturnType<typeof Dramaturg.createHost>>;
  const machine: XState.AnyStateMachine;
  const ports: Compiler.Ports;
  const store: Dramaturg.HostOptions['store'];
  let lastCursor: string | undefined;
  const fileName: string, id: string, text: string, url: string;
}
`;

/** Names that only the reader has. */
export const namesOfReaders = `
  accounts agents anotherActor authProvider behaviour behaviours channel channels chart clientId
  clientSecret codeOfRedirect compiled contact customer database definitions exporter headers
  hostOfAcme hostOfGlobex input inspector intake orders report researchGraph rest
  search secret shopIsClosed show template tenants token tokens writeGraph written
  DefaultChatTransport HttpAgent MeterProvider OTLPMetricExporter PeriodicExportingMetricReader
  useChat
`
  .trim()
  .split(/\s+/);
