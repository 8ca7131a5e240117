// A client for the conformance suite, which names the server in the last argument and the scenario in the environment.
import { mcpTools } from '@dramaturg/mcp';
import {
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
} from '@modelcontextprotocol/sdk/client/auth-extensions.js';

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

/** A person who agrees at once: the code is in the redirect of the authorization server. */
class Agreeing {
  redirectUrl = 'http://localhost:3000/callback';
  clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
  clientMetadata = {
    client_name: 'dramaturg',
    redirect_uris: ['http://localhost:3000/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_post',
  };
  #information =
    context.client_id === undefined
      ? undefined
      : { client_id: context.client_id, client_secret: context.client_secret };
  #tokens;
  #verifier = '';
  #code = '';
  clientInformation = () => this.#information;
  saveClientInformation = (information) => void (this.#information = information);
  tokens = () => this.#tokens;
  saveTokens = (tokens) => void (this.#tokens = tokens);
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier) => void (this.#verifier = verifier);
  code = async () => this.#code;
  async redirectToAuthorization(page) {
    const { headers } = await fetch(page, { redirect: 'manual' });
    this.#code = new URL(headers.get('location')).searchParams.get('code');
  }
}

function authorization() {
  if (!scenario.startsWith('auth/')) return {};
  const { client_id: clientId = '', client_secret: clientSecret = '' } = context;
  if (scenario === 'auth/client-credentials-basic')
    return { authProvider: new ClientCredentialsProvider({ clientId, clientSecret }) };
  if (scenario === 'auth/client-credentials-jwt') {
    const { private_key_pem: privateKey, signing_algorithm: algorithm } = context;
    return { authProvider: new PrivateKeyJwtProvider({ clientId, privateKey, algorithm }) };
  }
  const authProvider = new Agreeing();
  return { authProvider, authorizationCode: authProvider.code };
}

const suite = { url, ...authorization() };
const mcp = mcpTools({ servers: { suite }, allow: { suite: '*' } });
try {
  for (const tool of Object.values(await mcp.list()))
    await tool.run({ a: 5, b: 3 }, { key: 'key', signal: AbortSignal.timeout(20_000) });
} catch (error) {
  // A scenario may want the client to give up.
  console.error(error.message);
}
await mcp.close();
