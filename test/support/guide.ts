import {readFileSync} from 'node:fs';

/** A block of code in a guide. */
export interface GuideBlock {
  /** Such as `sh`. */
  readonly language: string;
  /** The file that the block is, if its first line is a comment with a path. */
  readonly file: string | undefined;
  readonly text: string;
}

/** Reads the blocks of code of a guide in `docs/guides/`, in order. */
export function readGuide(name: string): readonly GuideBlock[] {
  return readBlocks(readFileSync(new URL(`../../docs/guides/${name}`, import.meta.url), 'utf8'));
}

/** Reads the blocks of code of a page. */
export function readBlocks(page: string): readonly GuideBlock[] {
  return Array.from(page.matchAll(/^```([a-z]+)\n([\s\S]*?)^```$/gm), ([, language = '', text = '']) => {
    const [, file] = /^\/\/ (\S+\.[a-z]+)\n/.exec(text) ?? [];
    return {language, file, text};
  });
}

/** Returns the commands of blocks, one for each line. */
export function commandsOf(blocks: readonly GuideBlock[]): readonly string[] {
  return blocks.filter(({language}) => language === 'sh').flatMap(({text}) => text.trim().split('\n'));
}

/** Returns a block that is a file. */
export function fileOf(blocks: readonly GuideBlock[], file: string): GuideBlock {
  const found = blocks.find(block => block.file === file);
  if (found === undefined) throw new Error(`The guide has no file ${file}`);
  return found;
}
