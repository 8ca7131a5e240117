import { expect } from 'vitest';
import { rehearsalCharts } from './rehearsal.ts';
import type { Fact } from './stage.ts';

/** Instances keep the version of their definition. */
export function definitions(fact: Fact): void {
  fact.greeted('an instance keeps the definition version that it started with', async (stage) => {
    const { definition } = await stage.host.get('a');
    // The new version ends as soon as it begins; the old one waits for the contact.
    const { over } = rehearsalCharts.chat.states!;
    const lifecycle = stage.lifecycles.conversation;
    await stage.reopen({
      definitions: [
        {
          name: 'chat',
          chart: { ...rehearsalCharts.chat, initial: 'over', states: { over: over! } },
          lifecycle,
        },
      ],
    });
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.answers('a', 'As before.');
    await stage.host.start('chat', { id: 'b', contact: 'bob' });
    await stage.reaches('b', 'COMPLETED');
    expect((await stage.host.get('a')).definition).toEqual(definition);
    expect((await stage.host.get('b')).definition).not.toEqual(definition);
  });

  fact.greeted('a definition with another lifecycle is another version', async (stage) => {
    const { conversation } = stage.lifecycles;
    const titled = { ...conversation, meta: { ...conversation.meta!, title: 'Another' } };
    const chart = rehearsalCharts.chat;
    await stage.reopen({ definitions: [{ name: 'chat', chart, lifecycle: titled }] });
    await stage.greeted('b', 'bob');
    // The store has both versions, from which instances can be started.
    await stage.reopen({ definitions: [] });
    await stage.greeted('c', 'cem');
    const titles = ['a', 'b', 'c'].map(
      async (id) => (await stage.host.charts(id)).lifecycle.chart.meta?.['title'],
    );
    const { title } = conversation.meta!;
    expect(await Promise.all(titles)).toEqual([title, 'Another', 'Another']);
    const { definition } = await stage.host.get('a');
    expect((await stage.host.get('b')).definition).not.toEqual(definition);
    expect((await stage.host.get('c')).definition).not.toEqual(definition);
  });

  fact('a migrated instance goes on with the latest version of its definition', async (stage) => {
    await stage.greeted('a', 'ada');
    const { definition } = await stage.host.get('a');
    const { chat } = rehearsalCharts;
    const chart = { ...chat, meta: { ...chat.meta, title: 'Another chat' } };
    await stage.reopen({
      definitions: [{ name: 'chat', chart, lifecycle: stage.lifecycles.conversation }],
    });
    expect(await stage.host.migrate('a')).toMatchObject({ accepted: true });
    const { journalLength, ...migrated } = await stage.host.get('a');
    expect(migrated.definition).not.toEqual(definition);
    expect((await stage.host.charts('a')).flow?.chart.meta?.['title']).toBe('Another chat');
    // Repeated, as after a lost answer.
    expect(await stage.host.migrate('a')).toMatchObject({ accepted: true });
    expect((await stage.host.get('a')).journalLength).toBe(journalLength);
    await stage.reopen();
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.answers('a', 'As ever.');
    expect((await stage.host.get('a')).definition).toEqual(migrated.definition);
  });

  fact.greeted('a migration is undone as long as nothing else has happened', async (stage) => {
    const { definition, flow } = await stage.host.get('a');
    const { chat } = rehearsalCharts;
    const chart = { ...chat, meta: { ...chat.meta, title: 'Another chat' } };
    await stage.reopen({
      definitions: [{ name: 'chat', chart, lifecycle: stage.lifecycles.conversation }],
    });
    await stage.host.migrate('a');
    expect(await stage.host.undoMigration('a')).toMatchObject({ accepted: true });
    expect(await stage.host.get('a')).toMatchObject({ definition, flow });
    expect(await stage.host.undoMigration('a')).toMatchObject({ code: 'migration/not-last' });
  });

  fact('an instance keeps its version when a new one cannot go on with it', async (stage) => {
    await stage.greeted('a', 'ada');
    const { definition, journalLength } = await stage.host.get('a');
    const { over } = rehearsalCharts.chat.states!;
    const chart = { ...rehearsalCharts.chat, initial: 'over', states: { over: over! } };
    await stage.reopen({
      definitions: [{ name: 'chat', chart, lifecycle: stage.lifecycles.conversation }],
    });
    expect(await stage.host.migrate('a')).toMatchObject({
      accepted: false,
      code: 'migration/blocked',
    });
    expect(await stage.host.get('a')).toMatchObject({ definition, journalLength });
  });

  fact('instances continue without their definition being provided again', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.reopen({ definitions: [] });
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.answers('a', 'As before.');
  });

  fact('an unknown definition is refused by name, with the known ones', async ({ host }) => {
    await expect(host.start('chatt')).rejects.toMatchObject({
      code: 'host/unknown-definition',
      message: expect.stringContaining('"chat"') as string,
    });
  });
}
