import type { ChatModel } from './chat-model.ts';

export interface NamedModel {
  /** `provider:model`, or a name whose provider LangChain knows. */
  readonly name: string;
  readonly baseUrl?: string | undefined;
  readonly modelOptions?: Readonly<Record<string, unknown>> | undefined;
}

/** Loads a chat model by its name. LangChain is imported here, because that takes half a second. */
export async function loadModel({ name, baseUrl, modelOptions }: NamedModel): Promise<ChatModel> {
  const { initChatModel } = await import('langchain/chat_models/universal');
  const fields = {
    // Ours are the retries: LangChain's know no limit to what a server may ask to wait.
    maxRetries: 0,
    ...serverFields(name, baseUrl),
    ...modelOptions,
    // What else the user says of the connection does not lead it elsewhere.
    ...(baseUrl !== undefined && {
      configuration: { ...Object(modelOptions?.['configuration']), baseURL: baseUrl } as object,
    }),
  };
  const loaded = (await initChatModel(name, fields)) as unknown as Configurable;
  // What LangChain gives is a wrapper that makes a new client for each call with tools, and hides what the model can do.
  const { _getModelInstance: instance } = loaded;
  const model = instance === undefined ? loaded : await instance.call(loaded);
  if (isOpenAi(name) && !hasKey(model)) throw new Error('There is no API key.');
  return model;
}

type Configurable = ChatModel & { readonly _getModelInstance?: () => Promise<ChatModel> };

/** OpenAI's client notices only when it is asked something. */
function hasKey(model: object): boolean {
  const { apiKey, clientConfig } = model as { apiKey?: unknown; clientConfig?: unknown };
  const others = Object.keys(Object(clientConfig) as object);
  const isOther = others.includes('workloadIdentity') || others.includes('adminAPIKey');
  return Boolean(apiKey) || isOther || Boolean(process.env['OPENAI_ADMIN_KEY']);
}

/** Each provider's package has a name of its own for the same thing. */
function serverFields(name: string, baseUrl: string | undefined): Record<string, unknown> {
  const raw = isOpenAi(name) ? { __includeRawResponse: true } : {};
  if (baseUrl === undefined) return raw;
  if (!isOpenAi(name))
    return { baseUrl, baseURL: baseUrl, serverURL: baseUrl, anthropicApiUrl: baseUrl };
  return {
    ...raw,
    // A server of one's own rarely asks for a key, and the client refuses to do without.
    ...(process.env['OPENAI_API_KEY'] ? {} : { apiKey: 'no-key' }),
  };
}

function isOpenAi(name: string): boolean {
  return name.startsWith('openai:') || /^(?:gpt-|o\d)/.test(name);
}
