import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';

/** The functions run in the page, which has nothing else of this file. */
const options = {
  /** Words that questions consist of, and that say nothing about the page. */
  processTerm: (term: string) =>
    /^(?:a|an|and|are|as|at|be|by|can|do|does|for|from|has|have|how|i|if|in|is|it|its|me|my|of|on|or|over|that|the|this|to|was|what|when|which|while|who|why|will|with)$/i.test(
      term,
    )
      ? null
      : term.toLowerCase(),
};

const searchOptions = {
  // Pages that are reached by other ways come after those that explain something.
  boostDocument: (id: string) => (/^\/(?:diagnostics|recipes|api)\//.test(id) ? 0.2 : 1),
};

/** How the search box asks its index. */
export const miniSearch = { options, searchOptions };

/** Questions of new users as they type them, and pages that answer them. */
const questions: Readonly<Record<string, readonly string[]>> = {
  'how do I install it': ['/tutorial', '/program', '/first-project'],
  'use it in my express app': ['/program'],
  'does it work without an api key': ['/cli', '/tutorial', '/program', '/models'],
  'connect openai or anthropic': ['/models'],
  'run a local model with ollama': ['/models'],
  'write tests for a conversation': ['/testing'],
  'github actions': ['/how-to/testing-in-ci'],
  'deploy with docker': ['/deploy', '/program'],
  'can I use postgres': ['/postgres'],
  'what happens when the process crashes': ['/concepts', '/host', '/stores', '/restate'],
  'remind a user who does not answer': ['/how-to/reminders'],
  'hand a chat over to a human agent': ['/how-to/takeover', '/desk'],
  'a manager has to approve': ['/how-to/approvals'],
  'whatsapp and sms': ['/channels'],
  'chat widget on my website': ['/web-chat'],
  'change the definition while conversations are running': ['/how-to/new-version', '/versions'],
  'delete personal data gdpr': ['/how-to/backups-and-erasure'],
  'how is it different from langgraph': ['/comparisons/langgraph', '/how-to/from-langgraph'],
  'let the model call my function': ['/how-to/tools'],
  'limit the cost of tokens': ['/limits'],
  'who may call the http api': ['/access', '/service'],
  'why was this transition taken': ['/inspector'],
  'can it run on several servers': ['/restate', '/standby', '/postgres', '/deploy'],
  'extract structured data from messages': ['/formats/plan'],
  'upgrade to a new release': ['/releasing', '/versions'],
  'how do I debug a stuck conversation': ['/inspector', '/errors'],
  'typescript types for the collected values': ['/cli', '/formats/plan'],
  'validate an email address or a phone number': ['/formats/plan'],
  'stream the reply token by token': ['/how-to/streaming', '/front-ends'],
  'use claude desktop mcp server': ['/how-to/mcp', '/mcp'],
  'slack bot': ['/channels'],
  'backup and restore the data': ['/how-to/backups-and-erasure', '/stores'],
  'retry when the model times out': ['/models', '/errors', '/host'],
  'multiple languages translate replies': ['/formats/plan', '/formats/lifecycle'],
  'nextjs integration react component': ['/react'],
  'import my step functions state machine': ['/how-to/from-step-functions'],
  'simulate users before going live': ['/simulation', '/personas'],
  'log and trace with opentelemetry': ['/traces'],
  'vs code extension autocomplete': ['/editors'],
  'game character dialogue npc': ['/formats/npc'],
  'schedule something for tomorrow': ['/formats/lifecycle', '/host'],
};

const hitsMax = 3;

/**
 * Asks the index that the site has built, as its search box does.
 *
 * @throws Error for questions whose first hits do not have a page that answers them
 */
export async function checkSearch(outDir: string): Promise<void> {
  const [file] = globSync('assets/chunks/@localSearchIndexroot*.js', { cwd: outDir });
  const { default: json } = (await import(pathToFileURL(join(outDir, file!)).href)) as {
    readonly default: string;
  };
  const index = MiniSearch.loadJSON<object>(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    ...options,
  });
  const missed = Object.entries(questions).flatMap(([question, pages]) => {
    // The values of VitePress (VPLocalSearchBox.vue).
    const found = index.search(question, {
      fuzzy: 0.2,
      prefix: true,
      boost: { title: 4, text: 2, titles: 1 },
      ...searchOptions,
    });
    const hits = found.slice(0, hitsMax).map(({ id }) => String(id));
    return hits.some((hit) => pages.includes(hit.replace(/#.*$/, '')))
      ? []
      : [`"${question}" finds ${hits.join(', ')}, and not ${pages.join(' or ')}.`];
  });
  if (missed.length > 0) throw new Error(missed.join('\n'));
}
