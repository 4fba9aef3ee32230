/** A piece of a command line: a word, an operator between commands, or a redirection. */
export type ShellToken =
  | {
      readonly type: 'word';
      readonly text: string;
      /** Part of it is only known when it runs: a variable, or what a command prints. */
      readonly isDynamic: boolean;
      /** Command lines inside of it: `$(…)`, backquotes, `<(…)`. */
      readonly inner: readonly string[];
    }
  | { readonly type: 'operator'; readonly text: string }
  | { readonly type: 'redirect'; readonly text: string }
  | { readonly type: 'document'; readonly text: string };

const OPERATOR = /;;|&&|\|\||\|&|[;|&\n()]/y;
const REDIRECT = /(?:\d+|\{\w+\})?(?:<<<|<<-?|>>|>\||&>>?|<>|[<>]&?)/y;
const SPACE = /[ \t\r]+|\\\r?\n|#[^\n]*/y;
/** What ANSI-C quoting (`$'…'`) writes with a backslash. */
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  e: '\x1b',
};

/** Cuts a command line of a POSIX shell into tokens. Quotes that are never closed end with the text. */
export function shellTokens(line: string): ShellToken[] {
  const tokens: ShellToken[] = [];
  const documents: { readonly mark: string; readonly isIndented: boolean }[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(line)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  while (at < line.length) {
    if (take(SPACE) !== undefined) continue;
    const isSubstitution = /^[<>]\(/.test(line.slice(at, at + 2));
    const redirect = isSubstitution ? undefined : take(REDIRECT);
    if (redirect !== undefined) {
      tokens.push({ type: 'redirect', text: redirect });
      if (/<<-?$/.test(redirect)) documents.push({ mark: '', isIndented: redirect.endsWith('-') });
      continue;
    }
    const operator = isSubstitution ? undefined : take(OPERATOR);
    if (operator !== undefined) {
      if (operator === '\n' && documents.length > 0)
        at = takeDocuments(line, at, { documents, tokens });
      tokens.push({ type: 'operator', text: operator });
      continue;
    }
    const word = readWord(line, at);
    at = Math.max(word.end, at + 1);
    const last = documents.at(-1);
    if (tokens.at(-1)?.type === 'redirect' && last?.mark === '') {
      documents[documents.length - 1] = { ...last, mark: word.text };
    }
    tokens.push({ type: 'word', text: word.text, isDynamic: word.isDynamic, inner: word.inner });
  }
  return tokens;
}

interface Waiting {
  readonly documents: { readonly mark: string; readonly isIndented: boolean }[];
  readonly tokens: ShellToken[];
}

/** Takes the bodies of here-documents that follow a line, and says where the next line starts. */
function takeDocuments(line: string, start: number, { documents, tokens }: Waiting): number {
  let at = start;
  for (const { mark, isIndented } of documents.splice(0)) {
    const body: string[] = [];
    while (at < line.length) {
      const end = line.indexOf('\n', at);
      const text = line.slice(at, end < 0 ? line.length : end);
      at = end < 0 ? line.length : end + 1;
      if ((isIndented ? text.replace(/^\t+/, '') : text) === mark) break;
      body.push(text);
    }
    tokens.push({ type: 'document', text: body.join('\n') });
  }
  return at;
}

interface Word {
  text: string;
  isDynamic: boolean;
  readonly inner: string[];
  end: number;
}

const WORD_END = /[\s;|&()<>]/;

function readWord(line: string, start: number): Word {
  const word: Word = { text: '', isDynamic: false, inner: [], end: start };
  while (word.end < line.length) {
    const char = line[word.end] ?? '';
    const next = line[word.end + 1];
    if (char === "'") readQuote(line, word);
    else if (char === '"') readDoubleQuote(line, word);
    else if (char === '$' && next === "'") readAnsiQuote(line, word);
    else if (char === '$' && next === '"') word.end += 1;
    else if (char === '$' || char === '`') readExpansion(line, word);
    else if ((char === '<' || char === '>') && next === '(') readExpansion(line, word);
    else if (char === '\\') {
      if (next !== '\n') word.text += next ?? '';
      word.end += 2;
    } else if (WORD_END.test(char)) break;
    else {
      word.text += char;
      word.end += 1;
    }
  }
  return word;
}

function readQuote(line: string, word: Word): void {
  const end = line.indexOf("'", word.end + 1);
  word.text += line.slice(word.end + 1, end < 0 ? line.length : end);
  word.end = end < 0 ? line.length : end + 1;
}

function readDoubleQuote(line: string, word: Word): void {
  word.end += 1;
  while (word.end < line.length) {
    const char = line[word.end] ?? '';
    if (char === '"') break;
    if (char === '$' || char === '`') readExpansion(line, word);
    else if (char === '\\' && /["\\$`\n]/.test(line[word.end + 1] ?? '')) {
      if (line[word.end + 1] !== '\n') word.text += line[word.end + 1];
      word.end += 2;
    } else {
      word.text += char;
      word.end += 1;
    }
  }
  word.end += 1;
}

function readAnsiQuote(line: string, word: Word): void {
  const pattern = /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|([0-7]{1,3})|(.))|([^'\\])/isy;
  pattern.lastIndex = word.end + 2;
  let end = pattern.lastIndex;
  for (let found = pattern.exec(line); found !== null; found = pattern.exec(line)) {
    const [, hex, unicode, octal, escaped, plain] = found;
    const code = hex ?? unicode;
    if (code !== undefined) word.text += String.fromCharCode(Number.parseInt(code, 16));
    else if (octal !== undefined) word.text += String.fromCharCode(Number.parseInt(octal, 8));
    else word.text += escaped === undefined ? (plain ?? '') : (ESCAPES[escaped] ?? escaped);
    end = pattern.lastIndex;
  }
  word.end = end + 1;
}

/** A variable, `$(…)`, `<(…)` or backquotes. `$IFS` is white space, and is used as such to hide it. */
function readExpansion(line: string, word: Word): void {
  const ifs = /\$(?:IFS|\{IFS\})(?:\$\d)?/y;
  ifs.lastIndex = word.end;
  const space = ifs.exec(line)?.[0];
  if (space !== undefined) {
    word.text += ' ';
    word.end += space.length;
    return;
  }
  word.isDynamic = true;
  const opening = line.slice(word.end, word.end + 2);
  if (opening === '$(' || opening === '<(' || opening === '>(') {
    const end = closingParenthesis(line, word.end + 2);
    word.inner.push(line.slice(word.end + 2, end));
    word.end = end + 1;
    return;
  }
  if (opening.startsWith('`')) {
    const close = line.indexOf('`', word.end + 1);
    const end = close < 0 ? line.length : close;
    word.inner.push(line.slice(word.end + 1, end).replaceAll('\\`', '`'));
    word.end = end + 1;
    return;
  }
  const name = /\$(?:\w+|\{[^}]*\}?|.)?/sy;
  name.lastIndex = word.end;
  const variable = name.exec(line)?.[0] ?? '$';
  word.text += variable;
  word.end += variable.length;
}

/** The index of the parenthesis that closes, past quotes and inner ones; the end of the text where none does. */
function closingParenthesis(line: string, start: number): number {
  let depth = 1;
  for (let at = start; at < line.length; at += 1) {
    const char = line[at];
    if (char === '\\') at += 1;
    else if (char === "'") at = endOf(line, "'", at);
    else if (char === '(') depth += 1;
    else if (char === ')') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return line.length;
}

function endOf(line: string, quote: string, start: number): number {
  const end = line.indexOf(quote, start + 1);
  return end < 0 ? line.length : end;
}
