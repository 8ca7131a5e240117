import { jsonAnswer, type Shown, StandInServer } from '@dramaturg/testing';

/** A server with the answers of Slack's Web API. It posts a message with a known `client_msg_id` only once. */
export class SlackStandIn extends StandInServer {
  readonly shown: Shown[] = [];

  constructor(token: string) {
    const seen = new Set<string>();
    const error = (name: string) => jsonAnswer(200, { ok: false, error: name });
    super({
      errors: {
        failed: error('internal_error'),
        limited: jsonAnswer(429, { ok: false, error: 'ratelimited' }, { 'retry-after': '1' }),
        refused: error('is_archived'),
        denied: error('token_revoked'),
      },
      handle: ({ path, headers, body }) => {
        if (path !== '/chat.postMessage') return error('unknown_method');
        if (headers['authorization'] !== `Bearer ${token}`) return error('invalid_auth');
        const { channel, thread_ts, text, client_msg_id } = JSON.parse(body) as Record<
          string,
          string
        >;
        if (!text) return error('no_text');
        if (text.length > 4_000) return error('msg_too_long');
        const ts = `1503435956.${String(this.shown.length).padStart(6, '0')}`;
        const answer = {
          ok: true,
          channel,
          ts,
          message: { type: 'message', text, bot_id: 'B123', ts },
        };
        if (seen.has(client_msg_id!)) return jsonAnswer(200, answer);
        seen.add(client_msg_id!);
        const contact = thread_ts ? `slack:${channel}:${thread_ts}` : `slack:${channel}`;
        const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
        this.shown.push({ contact, text: plain });
        return jsonAnswer(200, answer);
      },
    });
  }
}

/** An event with a message of a person. Spec: Slack Events API, `event_callback` */
export function slackEvent(event: object): object {
  return {
    token: 'XXYYZZ',
    team_id: 'T123ABC456',
    api_app_id: 'A123ABC456',
    type: 'event_callback',
    event_id: 'Ev123ABC456',
    event_time: 1_355_517_523,
    authorizations: [{ team_id: 'T123ABC456', user_id: 'UAPP', is_bot: true }],
    is_ext_shared_channel: false,
    event,
  };
}
