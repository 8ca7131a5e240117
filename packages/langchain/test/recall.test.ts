import type { PortInput } from '@dramaturg/compiler';
import { langchainPorts, type LangchainOptions } from '@dramaturg/langchain';
import { modelServer } from '@dramaturg/langchain/testing';
import { Document } from '@langchain/core/documents';
import { BaseRetriever } from '@langchain/core/retrievers';
import { VectorStore } from '@langchain/core/vectorstores';
import { OpenAIEmbeddings } from '@langchain/openai';
import { expect, onTestFinished, test } from 'vitest';
import { portsOver, promptOf, quietly, think } from './ports-over.ts';

const texts = ['Maria owns two dogs.', 'Maria is allergic to cats.', 'The shop closes at nine.'];

const recallWith = (options: Partial<LangchainOptions>) =>
  langchainPorts({ model: 'openai:none', ...options }).recall;

const recall = (more: Partial<PortInput<'recall'>> = {}): PortInput<'recall'> => ({
  key: 'c/1',
  transcript: { conversation: 'c', length: 1 },
  queries: ['Does she have a dog?'],
  limit: 2,
  ...more,
});

/** The dimensions are pets, allergies and shops. */
const embed = (text: string) => [
  /dog|cat|pet/.test(text) ? 1 : 0,
  /allerg|sneez/.test(text) ? 1 : 0,
  /shop|open/.test(text) ? 1 : 0,
];

/** @param asked gets each text that is embedded */
async function embeddings(asked: string[] = []): Promise<OpenAIEmbeddings> {
  const server = await modelServer(() => ({}), {
    embed: (text) => {
      asked.push(text);
      return embed(text);
    },
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return new OpenAIEmbeddings({
    apiKey: 'k',
    model: 'e',
    configuration: { baseURL: server.baseUrl },
    encodingFormat: 'float',
    maxRetries: 0,
  });
}

test('without a memory the result is empty', async () => {
  expect(await recallWith({})(recall(), quietly())).toEqual({ memories: [] });
});

test('texts are found by shared words, the closest first', async () => {
  const { memories } = await recallWith({ memory: texts })(
    recall({ queries: ['When does the shop close, and does Maria know?'] }),
    quietly(),
  );
  expect(memories.map(({ text }) => text)).toEqual([texts[2], texts[0]]);
});

test('without texts or without a query, nothing is embedded, and a query that is repeated is embedded once', async () => {
  const asked: string[] = [];
  const model = await embeddings(asked);
  expect(await recallWith({ embeddings: model })(recall(), quietly())).toEqual({ memories: [] });
  const recalled = recallWith({ memory: texts, embeddings: model });
  expect(await recalled(recall({ queries: [' ', ''] }), quietly())).toEqual({ memories: [] });
  expect(await recalled(recall({ candidates: [] }), quietly())).toEqual({ memories: [] });
  expect(asked).toEqual([]);
  await recalled(recall({ queries: ['A dog?', 'A dog?'] }), quietly());
  expect(asked.filter((text) => text === 'A dog?').length).toBe(1);
});

test('with embeddings texts are found by meaning', async () => {
  const recalled = recallWith({ memory: texts, embeddings: await embeddings() });
  const { memories } = await recalled(recall({ queries: ['why does she sneeze'] }), quietly());
  expect(memories[0]).toEqual({ text: texts[1], score: expect.closeTo(Math.SQRT1_2) });
});

test('a vector store of LangChain is searched', async () => {
  const store = new Shelf(await embeddings(), {});
  await store.addDocuments(texts.map((pageContent) => new Document({ pageContent })));
  const { memories } = await recallWith({ memory: store })(recall({ limit: 1 }), quietly());
  expect(memories).toEqual([{ text: texts[0], score: 1 }]);
});

test('a retriever of LangChain is called', async () => {
  const { memories } = await recallWith({ memory: new Last() })(recall({ limit: 1 }), quietly());
  expect(memories).toEqual([{ text: 'Does she have a dog?' }]);
});

test('a function is called for each query, and a text that it finds twice is returned once', async () => {
  const queries: string[] = [];
  const memory = (query: string) => {
    queries.push(query);
    return [{ text: 'The same.', score: queries.length }, { text: 'x'.repeat(10_000) }];
  };
  const { memories } = await recallWith({ memory })(
    recall({ queries: ['one', ' ', 'two'], limit: 5 }),
    quietly(),
  );
  expect(queries).toEqual(['one', 'two']);
  expect(memories[0]).toEqual({ text: 'The same.', score: 2 });
  expect(memories[1]?.text).toHaveLength(4_000);
});

test.each([
  ['a vector store whose scores are distances', distances()],
  ['a retriever', retriever()],
])(
  'the matches of %s keep their order, and the closest match of each query comes first',
  async (_, memory) => {
    const recalled = recallWith({ memory });
    const textsOf = async (more: Partial<PortInput<'recall'>>) =>
      (await recalled(recall(more), quietly())).memories.map(({ text }) => text);
    expect(await textsOf({ queries: ['A'], limit: 3 })).toEqual(['A near', 'both', 'A far']);
    expect(await textsOf({ queries: ['A', 'B'], limit: 3 })).toEqual(['A near', 'B near', 'both']);
  },
);

test('candidates are ranked instead of the memory, by words or by meaning', async () => {
  const query = recall({ queries: ['why does she sneeze'], candidates: texts, limit: 1 });
  const memory = ['She sneezes.'];
  const meaning = recallWith({ memory, embeddings: await embeddings() });
  expect((await meaning(query, quietly())).memories.map(({ text }) => text)).toEqual([texts[1]]);
  const words = recallWith({ memory });
  expect(await words(query, quietly())).toEqual({ memories: [] });
  const long = `Maria ${'x'.repeat(10_000)}`;
  const about = { queries: ['who is Maria'], candidates: [...texts, long], limit: 9 };
  expect((await words(recall(about), quietly())).memories.map(({ text }) => text)).toEqual([
    texts[0],
    texts[1],
    long,
  ]);
});

test('matches below the minimum score are left out', async () => {
  const memory = () => [
    { text: 'Close.', score: 0.8 },
    { text: 'Far.', score: 0.2 },
    { text: 'Somewhere.' },
  ];
  const { memories } = await recallWith({ memory })(recall({ limit: 3, minScore: 0.5 }), quietly());
  expect(memories).toEqual([{ text: 'Close.', score: 0.8 }]);
});

test.each<[Partial<PortInput<'recall'>>, LangchainOptions['memory']]>([
  [{ keys: ['seen'] }, undefined],
  [{ namespace: 'user_7' }, texts],
  [{ filter: { kind: 'note' } }, () => []],
  [{ order: 'newest' }, texts],
  [{ minScore: 0.5 }, retriever()],
])(
  'a read-only memory does not support %j, and the error says which port does',
  async (more, memory) => {
    await expect(
      Promise.resolve(recallWith({ memory })(recall(more), quietly())),
    ).rejects.toMatchObject({
      code: 'port/not-provided',
      message: `The memory of langchainPorts() is read-only and does not support "${Object.keys(more)[0]}". Put memoryPorts() after it in the list of ports, or provide recall and remember yourself.`,
    });
  },
);

test('the error of a failed lookup contains the reason', async () => {
  const memory = () => {
    throw new Error('no index');
  };
  await expect(recallWith({ memory })(recall(), quietly())).rejects.toMatchObject({
    code: 'port/failed',
    message: 'The lookup in the memory failed: no index',
  });
});

test('a thought has a text, tool calls and its usage', async () => {
  const search = { name: 'search', description: 'Search.', parameters: { type: 'object' } };
  const ports = await portsOver((_, count) =>
    count === 1
      ? {
          toolCalls: [
            { name: 'search', arguments: {} },
            { name: 'delete', arguments: {} },
          ],
        }
      : { text: ' They need help.' },
  );
  const first = await ports.think(think({ tools: [search] }), quietly());
  expect(first).toMatchObject({ text: '', toolCalls: [{ name: 'search', arguments: {} }] });
  const second = await ports.think(think(), quietly());
  expect(second).toMatchObject({
    text: 'They need help.',
    usage: { requests: 1, outputTokens: 3 },
  });
  expect(promptOf(ports.server.requests[1])).toContain('What do they need?');
});

test('on a server without tools a thought contains its calls as text', async () => {
  const search = { name: 'search', description: 'Search.', parameters: { type: 'object' } };
  const text = '{"toolCalls": [{"name": "search", "arguments": {"query": "hours"}}]}';
  const ports = await portsOver({ text }, { server: { without: ['tools'] } });
  expect(await ports.think(think({ tools: [search] }), quietly())).toMatchObject({
    text: '',
    toolCalls: [{ name: 'search', arguments: { query: 'hours' } }],
  });
});

test('an empty thought is an error', async () => {
  const ports = await portsOver({ text: '' });
  await expect(ports.think(think(), quietly())).rejects.toMatchObject({ code: 'port/bad-output' });
});

/** A minimal vector store, because LangChain's are in other packages. */
class Shelf extends VectorStore {
  readonly #kept: { readonly vector: number[]; readonly document: Document }[] = [];

  override _vectorstoreType(): string {
    return 'shelf';
  }

  override async addVectors(vectors: number[][], documents: Document[]): Promise<void> {
    for (const [index, vector] of vectors.entries())
      this.#kept.push({ vector, document: documents[index]! });
  }

  override async addDocuments(documents: Document[]): Promise<void> {
    const contents = documents.map(({ pageContent }) => pageContent);
    await this.addVectors(await this.embeddings.embedDocuments(contents), documents);
  }

  override async similaritySearchVectorWithScore(
    query: number[],
    k: number,
  ): Promise<[Document, number][]> {
    const scored = this.#kept.map(({ vector, document }): [Document, number] => [
      document,
      vector.reduce((sum, value, index) => sum + value * (query[index] ?? 0), 0),
    ]);
    return scored.toSorted((a, b) => b[1] - a[1]).slice(0, k);
  }
}

class Last extends BaseRetriever {
  readonly lc_namespace = ['test'];

  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    return [new Document({ pageContent: query }), new Document({ pageContent: 'More.' })];
  }
}

const nearest = (query: string): [Document, number][] => [
  [new Document({ pageContent: `${query} near` }), query === 'A' ? 0.3 : 0.1],
  [new Document({ pageContent: 'both' }), 0.5],
  [new Document({ pageContent: `${query} far` }), 0.9],
];

function distances() {
  return {
    similaritySearchWithScore: async (query: string, k: number) => nearest(query).slice(0, k),
  };
}

function retriever() {
  return { invoke: async (query: string) => nearest(query).map(([document]) => document) };
}
