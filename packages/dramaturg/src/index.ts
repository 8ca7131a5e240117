export * from './browser.ts';
export {
  attachmentBucket,
  attachmentFolder,
  type BucketClient,
  consoleChannel,
  lowdbStore,
  sqliteStore,
} from '@dramaturg/host';
export { readImports } from './imports.ts';
