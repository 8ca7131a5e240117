export * from './browser.ts';
export { attachmentFolder, consoleChannel, lowdbStore, sqliteStore } from '@dramaturg/host';
export { readImports } from './imports.ts';
