export * from './browser.ts';
export { consoleChannel, lowdbStore, sqliteStore } from '@dramaturg/host';
export { readImports } from './imports.ts';
