import type { PortInput } from '@dramaturg/compiler';
import { langchainPorts, type LangchainOptions } from '@dramaturg/langchain';
import { modelServer } from '@dramaturg/langchain/testing';
import { Document } from '@langchain/core/documents';
import { BaseRetriever } from '@langchain/core/retrievers';
import { VectorStore } from '@langchain/core/vectorstores';
import { OpenAIEmbeddings } from '@langchain/openai';
import { expect, onTestFinished, test } from 'vitest';
import { portsOver, promptOf, quietly, think } from './asked.ts';

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

async function embeddings(): Promise<OpenAIEmbeddings> {
  const server = await modelServer(() => ({}), { embed });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return new OpenAIEmbeddings({
    apiKey: 'k',
    model: 'e',
    configuration: { baseURL: server.baseUrl },
    encodingFormat: 'float',
    maxRetries: 0,
  });
}

test('without a memory nothing is remembered', async () => {
  expect(await recallWith({})(recall(), quietly())).toEqual({ memories: [] });
});

test('texts are found by the words they share, the closest first', async () => {
  const { memories } = await recallWith({ memory: texts })(
    recall({ queries: ['When does the shop close, and does Maria know?'] }),
    quietly(),
  );
  expect(memories.map(({ text }) => text)).toEqual([texts[2], texts[0]]);
});

test('with embeddings texts are found by meaning', async () => {
  const recalled = recallWith({ memory: texts, embeddings: await embeddings() });
  const { memories } = await recalled(recall({ queries: ['why does she sneeze'] }), quietly());
  expect(memories[0]).toEqual({ text: texts[1], score: expect.closeTo(Math.SQRT1_2) });
});

test('a vector store of LangChain is asked', async () => {
  const store = new Shelf(await embeddings(), {});
  await store.addDocuments(texts.map((pageContent) => new Document({ pageContent })));
  const { memories } = await recallWith({ memory: store })(recall({ limit: 1 }), quietly());
  expect(memories).toEqual([{ text: texts[0], score: 1 }]);
});

test('a retriever of LangChain is asked', async () => {
  const { memories } = await recallWith({ memory: new Last() })(recall({ limit: 1 }), quietly());
  expect(memories).toEqual([{ text: 'Does she have a dog?' }]);
});

test('a function is asked, and what it finds twice is remembered once', async () => {
  const asked: string[] = [];
  const memory = (query: string) => {
    asked.push(query);
    return [{ text: 'The same.', score: asked.length }, { text: 'x'.repeat(10_000) }];
  };
  const { memories } = await recallWith({ memory })(
    recall({ queries: ['one', ' ', 'two'], limit: 5 }),
    quietly(),
  );
  expect(asked).toEqual(['one', 'two']);
  expect(memories[0]).toEqual({ text: 'The same.', score: 2 });
  expect(memories[1]?.text).toHaveLength(4_000);
});

test.each([
  ['a vector store whose scores are distances', distances()],
  ['a retriever', retriever()],
])(
  'what %s finds keeps its order, and of several queries the closest comes first',
  async (_, memory) => {
    const recalled = recallWith({ memory });
    const textsOf = async (more: Partial<PortInput<'recall'>>) =>
      (await recalled(recall(more), quietly())).memories.map(({ text }) => text);
    expect(await textsOf({ queries: ['A'], limit: 3 })).toEqual(['A near', 'both', 'A far']);
    expect(await textsOf({ queries: ['A', 'B'], limit: 3 })).toEqual(['A near', 'B near', 'both']);
  },
);

test('candidates are ranked in place of the memory, by words or by meaning', async () => {
  const asked = recall({ queries: ['why does she sneeze'], candidates: texts, limit: 1 });
  const memory = ['She sneezes.'];
  const meaning = recallWith({ memory, embeddings: await embeddings() });
  expect((await meaning(asked, quietly())).memories.map(({ text }) => text)).toEqual([texts[1]]);
  const words = recallWith({ memory });
  expect(await words(asked, quietly())).toEqual({ memories: [] });
  const long = `Maria ${'x'.repeat(10_000)}`;
  const about = { queries: ['who is Maria'], candidates: [...texts, long], limit: 9 };
  expect((await words(recall(about), quietly())).memories.map(({ text }) => text)).toEqual([
    texts[0],
    texts[1],
    long,
  ]);
});

test('what is less close than is wanted is not remembered', async () => {
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
])('a memory that is only looked up does not know %j, and says who does', async (more, memory) => {
  await expect(
    Promise.resolve(recallWith({ memory })(recall(more), quietly())),
  ).rejects.toMatchObject({
    code: 'port/not-provided',
    message: `The memory of langchainPorts() is only looked up, and knows no "${Object.keys(more)[0]}": answer recall and remember by memoryPorts(), after it in the list of ports, or by ports of your own.`,
  });
});

test('a memory that fails is told with its reason', async () => {
  const memory = () => {
    throw new Error('no index');
  };
  await expect(recallWith({ memory })(recall(), quietly())).rejects.toMatchObject({
    code: 'port/failed',
    message: 'The memory could not be looked up: no index',
  });
});

test('a thought is text and costs what it costs; what it may look up it may ask for', async () => {
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

test('on a server without tools a thought asks for what it may look up in words', async () => {
  const search = { name: 'search', description: 'Search.', parameters: { type: 'object' } };
  const text = '{"toolCalls": [{"name": "search", "arguments": {"query": "hours"}}]}';
  const ports = await portsOver({ text }, { server: { without: ['tools'] } });
  expect(await ports.think(think({ tools: [search] }), quietly())).toMatchObject({
    text: '',
    toolCalls: [{ name: 'search', arguments: { query: 'hours' } }],
  });
});

test('an empty thought is none', async () => {
  const ports = await portsOver({ text: '' });
  await expect(ports.think(think(), quietly())).rejects.toMatchObject({ code: 'port/bad-output' });
});

/** A vector store as small as they come: LangChain's own are in packages of their own. */
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
