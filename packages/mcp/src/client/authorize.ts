import { protectSecret } from '@dramaturg/compiler/secrets';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { ClientCredentials, HttpServer } from './options.ts';

/** Providers have the tokens of this process, so that a new connection does not need new ones. */
const providers = new WeakMap<ClientCredentials, OAuthClientProvider>();

/** Gets tokens from the authorization server of an MCP server. Undefined for a server with a token, or without any. */
export async function authProviderOf({
  authProvider,
  clientCredentials,
}: HttpServer): Promise<OAuthClientProvider | undefined> {
  if (!clientCredentials) return authProvider;
  const known = providers.get(clientCredentials);
  if (known) return known;
  const { ClientCredentialsProvider } =
    await import('@modelcontextprotocol/sdk/client/auth-extensions.js');
  const { clientId, clientSecret, scope, issuer } = clientCredentials;
  protectSecret(clientSecret);
  const provider = new ClientCredentialsProvider({
    clientId,
    clientSecret,
    clientName: 'dramaturg',
    ...(scope !== undefined && { scope }),
    expectedIssuer: issuer,
  });
  providers.set(clientCredentials, provider);
  return provider;
}

/** `fetch` with the current token of the server. A request that is answered with 401 is sent again with a newer token, once. */
export function withToken(send: typeof fetch, { token }: Pick<HttpServer, 'token'>): typeof fetch {
  const current = async () => (typeof token === 'function' ? token() : token);
  const sendWith = async (
    bearer: string | undefined,
    ...[input, init]: Parameters<typeof fetch>
  ) => {
    const headers = new Headers(init?.headers);
    if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`);
    // It may also come from a provider.
    const [, secret] = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '') ?? [];
    if (secret !== undefined) protectSecret(secret);
    return send(input, { ...init, headers });
  };
  return async (input, init) => {
    const bearer = await current();
    const response = await sendWith(bearer, input, init);
    if (response.status !== 401 || typeof token !== 'function') return response;
    const newer = await current();
    if (newer === bearer) return response;
    await response.body?.cancel();
    return sendWith(newer, input, init);
  };
}
