/**
 * An office of its own process, which a test kills: `node office-process.ts <store> <port> <url of the model> <urls of providers as JSON>`.
 * Replies come from the understudy, word by word, as long as the model answers.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { slackChannel } from '@dramaturg/channel-slack';
import { telegramChannel } from '@dramaturg/channel-telegram';
import { twilioChannel } from '@dramaturg/channel-twilio';
import { webChannel } from '@dramaturg/channel-web';
import { createHost, PortError, sqliteStore, understudyPorts } from 'dramaturg';
import { serveHost } from 'dramaturg/service';
import { officeDefinitions } from './definitions.ts';
import { secrets, senders } from './office-secrets.ts';

const [store, port, model, providers] = process.argv.slice(2) as [string, string, string, string];
const urls = JSON.parse(providers) as Readonly<Record<'slack' | 'telegram' | 'twilio', string>>;
// Without a memory, nothing of it has to be erased.
const { reply, recall: _recall, remember: _remember, ...others } = understudyPorts();
const { web, telegram, slack, twilio } = secrets;
const channels = {
  web: webChannel({ secret: web }),
  telegram: telegramChannel({ ...telegram, apiUrl: urls.telegram }),
  slack: slackChannel({ ...slack, apiUrl: urls.slack }),
  twilio: twilioChannel({ ...twilio, ...senders, apiUrl: urls.twilio }),
};
const host = await createHost({
  store: sqliteStore(store),
  definitions: officeDefinitions(),
  ports: {
    ...others,
    reply: async (input, call) => {
      const { ok } = await fetch(model, { method: 'POST', signal: call.signal });
      if (!ok) throw new PortError('port/failed', 'reply', 'The model is overloaded.');
      const answer = await reply(input, { ...call, onText: () => {} });
      for (const word of answer.text.split(/(?<= )/)) {
        call.onText(word);
        await pause(input.message?.includes('slowly') ? 250 : 0, undefined, {
          signal: call.signal,
        });
      }
      return answer;
    },
  },
  channels,
});
const people = {
  ana: { name: 'Ana', scopes: ['read', 'operate', 'converse', 'admin'], roles: ['finance'] },
  bo: { name: 'Bo', scopes: ['read', 'operate'], roles: [] },
  shop: { name: 'Shop', scopes: ['converse'], roles: [] },
} as const;
const service = await serveHost(host, {
  http: `127.0.0.1:${port}`,
  desk: true,
  tokens: (token) => Promise.resolve(people[token as keyof typeof people]),
  channels,
  orStart: { definition: 'intake' },
});
process.stdout.write(`${service.url}\n`);
