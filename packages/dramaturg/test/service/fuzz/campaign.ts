import { Agent } from 'node:http';
import type { Host } from 'dramaturg';
import fc from 'fast-check';
import { type Complain, complaintOf } from './complaints.ts';
import { exchange } from './exchange.ts';
import { LiveIds } from './live-ids.ts';
import { type FuzzedRequest, fuzzedRequests } from './requests.ts';

/** Requests in flight at the same time. */
const lanes = 8;

interface Campaign {
  readonly url: string;
  /** The hosts whose ids requests use. */
  readonly hosts: readonly Host[];
  /** For copies of the store. */
  readonly folder: string;
  /** Names of definitions, and texts of right and wrong ones. */
  readonly definitions: readonly string[];
  readonly texts: readonly string[];
  readonly count: number;
  readonly seed: number;
  /** More headers for a request, such as a token. */
  readonly headersOf?: (request: FuzzedRequest) => Readonly<Record<string, string>>;
  /** What else is wrong with an answer. */
  readonly complain?: Complain;
}

interface Outcome {
  /** One complaint of each kind, with its request. */
  readonly complaints: readonly string[];
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Sends generated requests to a service. The same seed makes the same requests. */
export async function runCampaign(campaign: Campaign): Promise<Outcome> {
  const { url, hosts, folder, definitions, texts, count, seed } = campaign;
  const { headersOf = () => ({}), complain = () => undefined } = campaign;
  const ids = new LiveIds(hosts, folder);
  const requests = fc.sample(fuzzedRequests(definitions, texts), { numRuns: count, seed });
  const complaints = new Map<string, string>();
  const statuses: Record<string, number> = {};
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  const outcomeOf = async (request: FuzzedRequest): Promise<string | undefined> => {
    // The server closes a connection when it has not read all of a body. The client can notice that with the next request.
    const answer = await exchange(url, request, agent).catch(() =>
      exchange(url, request, new Agent()),
    );
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    return complaintOf(request, answer) ?? complain(request, answer);
  };
  const pending = requests.entries();
  const send = async () => {
    for (const [index, request] of pending) {
      if (index % 200 === 0) await ids.refresh();
      const filled = withIds(request, ids);
      const sent = { ...filled, headers: { ...filled.headers, ...headersOf(request) } };
      const complaint = await outcomeOf(sent).catch((error: Error) => `no answer: ${error}`);
      if (complaint === undefined) continue;
      const kind = `${request.route} ${complaint.slice(0, 60)}`;
      if (!complaints.has(kind)) complaints.set(kind, `${complaint}\n  ${printed(index, sent)}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, send));
  agent.destroy();
  return { complaints: [...complaints.values()], statuses };
}

function printed(index: number, { method, path, headers, body = '' }: FuzzedRequest): string {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('latin1');
  const target = `${method} ${path.slice(0, 300)}`;
  return `request ${index}: ${target} ${JSON.stringify(headers)} ${text.slice(0, 400)}`;
}

function withIds(request: FuzzedRequest, ids: LiveIds): FuzzedRequest {
  const { path, headers, body } = request;
  const lastEventId = headers['last-event-id'];
  return {
    ...request,
    path: ids.inText(path, encodeURIComponent),
    headers: {
      ...headers,
      ...(lastEventId !== undefined && { 'last-event-id': ids.inText(lastEventId, encodeURI) }),
    },
    ...(typeof body === 'string' && {
      body: ids.inText(body, (id) => JSON.stringify(id).slice(1, -1)),
    }),
  };
}
