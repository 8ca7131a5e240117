import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { apiNames } from './api.ts';

/** The pages in reading order for a new reader. A page that no group names fails the build. */

export interface Group {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly items: readonly Page[];
}

interface Page {
  readonly text: string;
  /** From docs, without .md. */
  readonly link: string;
}

export const sidebar: readonly Group[] = [
  {
    text: 'Start',
    items: [
      { text: 'What and why', link: '/' },
      { text: 'With the command', link: '/tutorial' },
      { text: 'In your program', link: '/program' },
      { text: 'A first project', link: '/first-project' },
      { text: 'The workbench', link: '/workbench' },
    ],
  },
  {
    text: 'How to, with the command',
    items: [
      { text: 'All how-tos', link: '/how-to/' },
      { text: 'Connect a webhook', link: '/how-to/webhook' },
      { text: 'Stream replies, token by token', link: '/how-to/streaming' },
      { text: 'Ask for approval', link: '/how-to/approvals' },
      { text: 'Let a person take over', link: '/how-to/takeover' },
      { text: 'Deploy a new version', link: '/how-to/new-version' },
      { text: 'Back up, and erase a person', link: '/how-to/backups-and-erasure' },
      { text: 'Test definitions in CI', link: '/how-to/testing-in-ci' },
      { text: 'Test Step Functions', link: '/how-to/step-functions-tests' },
      { text: 'Run it on Kubernetes', link: '/how-to/kubernetes' },
      { text: 'Migrate from AWS Step Functions', link: '/how-to/from-step-functions' },
      { text: 'Migrate from OpenAI Agent Builder', link: '/how-to/from-agent-builder' },
    ],
  },
  {
    text: 'How to, both ways',
    items: [
      { text: 'Remind people', link: '/how-to/reminders' },
      { text: 'Call your own functions', link: '/how-to/tools' },
      { text: 'Use MCP servers', link: '/how-to/mcp' },
      { text: 'Migrate from LangGraph', link: '/how-to/from-langgraph' },
      { text: 'Migrate from XState by hand', link: '/how-to/from-xstate' },
    ],
  },
  {
    text: 'How to, in your program',
    items: [
      { text: 'Check and draw in a program', link: '/how-to/compiler' },
      { text: 'Add a format of your own', link: '/how-to/own-format' },
      { text: 'Use a store of your own', link: '/how-to/own-store' },
      { text: 'Add a channel of your own', link: '/how-to/own-channel' },
    ],
  },
  {
    text: 'Concepts',
    items: [
      { text: 'Definitions, machines, hosts', link: '/concepts' },
      { text: 'Glossary', link: '/glossary' },
    ],
  },
  {
    text: 'Definitions',
    items: formats(),
  },
  {
    text: 'Guides',
    items: [
      { text: 'Definitions in an editor', link: '/editors' },
      { text: 'Test a conversation or a workflow', link: '/testing' },
      { text: 'Simulated persons', link: '/personas' },
      { text: 'Exploring a definition', link: '/explore' },
      { text: 'Recordings', link: '/recording' },
      { text: 'Models', link: '/models' },
      { text: 'MCP', link: '/mcp' },
      { text: 'Channels', link: '/channels' },
      { text: 'Web chat', link: '/web-chat' },
      { text: 'Front ends', link: '/front-ends' },
      { text: 'React components', link: '/react' },
      { text: 'The desk', link: '/desk' },
      { text: 'The inspector', link: '/inspector' },
      { text: 'Deploying', link: '/deploy' },
      { text: 'Postgres', link: '/postgres' },
      { text: 'Standby', link: '/standby' },
      { text: 'Restate', link: '/restate' },
      { text: 'Three nodes of Restate', link: '/examples/cluster/' },
      { text: 'Traces and metrics', link: '/traces' },
    ],
  },
  {
    text: 'Reference',
    collapsed: true,
    items: [
      { text: 'The command', link: '/cli' },
      { text: 'The host', link: '/host' },
      { text: 'The service', link: '/service' },
      { text: 'Access', link: '/access' },
      { text: 'Events', link: '/events' },
      { text: 'Stores', link: '/stores' },
      { text: 'Errors, and what to do', link: '/errors' },
      { text: 'Diagnostics', link: '/diagnostics/' },
      { text: 'Conformance', link: '/conformance' },
    ],
  },
  {
    text: 'What packages export',
    collapsed: true,
    items: apiNames.map((name) => ({ text: name, link: `/api/${name}` })),
  },
  {
    text: 'Comparisons',
    items: [
      { text: 'Which tool for what', link: '/comparisons/' },
      { text: 'LangGraph, Mastra', link: '/comparisons/langgraph' },
      { text: 'AWS Step Functions', link: '/comparisons/step-functions' },
      { text: 'Durable code', link: '/comparisons/durable-execution' },
      { text: 'XState, Stately Agent', link: '/comparisons/xstate' },
      { text: 'Chat and voice platforms', link: '/comparisons/platforms' },
      { text: 'Camunda, YAML, Agent Spec', link: '/comparisons/declarative' },
    ],
  },
  {
    text: 'Limits and versions',
    items: [
      { text: 'What it does not do', link: '/limitations' },
      { text: 'Usage and limits', link: '/limits' },
      { text: 'Benchmarks', link: '/benchmarks' },
      { text: 'Versions of a definition', link: '/versions' },
      { text: 'Releases', link: '/releasing' },
    ],
  },
  {
    text: 'Change Dramaturg',
    collapsed: true,
    items: [
      { text: 'Architecture', link: '/architecture' },
      { text: 'The contract of a format', link: '/contract' },
      { text: 'Simulation', link: '/simulation' },
      { text: 'Add a format', link: '/recipes/add-a-format' },
      { text: 'Add a state type', link: '/recipes/add-a-state-type' },
      { text: 'Add a condition type', link: '/recipes/add-a-condition-type' },
      { text: 'Add an operation', link: '/recipes/add-an-operation' },
    ],
  },
];

/** The pages of the known formats, then those of added formats with their own titles. */
function formats(): readonly Page[] {
  const known = [
    { text: 'Conversation plans', link: '/formats/plan' },
    { text: 'Workflows', link: '/formats/asl' },
    { text: 'Agents of workflows', link: '/formats/asl-agents' },
    { text: 'Workflows in deployment files', link: '/formats/asl-deployment' },
    { text: 'Maps over objects in S3', link: '/formats/asl-maps' },
    { text: 'Scenarios for an NPC', link: '/formats/npc' },
    { text: 'Context graphs', link: '/formats/context-graph' },
    { text: 'Lifecycles', link: '/formats/lifecycle' },
  ];
  const folder = join(import.meta.dirname, '../../docs/formats');
  const added = globSync('*.md', { cwd: folder })
    .toSorted()
    .map((file): Page => {
      const [title = ''] = readFileSync(join(folder, file), 'utf8').split('\n', 1);
      return { text: title.replace(/^#+ /, ''), link: `/formats/${basename(file, '.md')}` };
    });
  return [...known, ...added.filter(({ link }) => !known.some((each) => each.link === link))];
}
