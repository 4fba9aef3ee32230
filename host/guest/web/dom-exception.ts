import { defineProperty, ErrorCtor, bare } from '../intrinsics.ts';
import { asInterface, defineConstant } from './interface.ts';

/** Legacy codes by name; position in the list is the code. Source: Web IDL, "DOMException names". */
const CODES: readonly (readonly [constant: string, name: string])[] = [
  ['INDEX_SIZE_ERR', 'IndexSizeError'],
  ['DOMSTRING_SIZE_ERR', 'DOMStringSizeError'],
  ['HIERARCHY_REQUEST_ERR', 'HierarchyRequestError'],
  ['WRONG_DOCUMENT_ERR', 'WrongDocumentError'],
  ['INVALID_CHARACTER_ERR', 'InvalidCharacterError'],
  ['NO_DATA_ALLOWED_ERR', 'NoDataAllowedError'],
  ['NO_MODIFICATION_ALLOWED_ERR', 'NoModificationAllowedError'],
  ['NOT_FOUND_ERR', 'NotFoundError'],
  ['NOT_SUPPORTED_ERR', 'NotSupportedError'],
  ['INUSE_ATTRIBUTE_ERR', 'InUseAttributeError'],
  ['INVALID_STATE_ERR', 'InvalidStateError'],
  ['SYNTAX_ERR', 'SyntaxError'],
  ['INVALID_MODIFICATION_ERR', 'InvalidModificationError'],
  ['NAMESPACE_ERR', 'NamespaceError'],
  ['INVALID_ACCESS_ERR', 'InvalidAccessError'],
  ['VALIDATION_ERR', 'ValidationError'],
  ['TYPE_MISMATCH_ERR', 'TypeMismatchError'],
  ['SECURITY_ERR', 'SecurityError'],
  ['NETWORK_ERR', 'NetworkError'],
  ['ABORT_ERR', 'AbortError'],
  ['URL_MISMATCH_ERR', 'URLMismatchError'],
  ['QUOTA_EXCEEDED_ERR', 'QuotaExceededError'],
  ['TIMEOUT_ERR', 'TimeoutError'],
  ['INVALID_NODE_TYPE_ERR', 'InvalidNodeTypeError'],
  ['DATA_CLONE_ERR', 'DataCloneError'],
];

/** Names of the table that never had a code in use. */
const WITHOUT_CODE = bare({
  __proto__: null,
  DOMStringSizeError: true,
  NoDataAllowedError: true,
  ValidationError: true,
}) as Readonly<Record<string, true | undefined>>;

const CODE_OF: Record<string, number> = bare({ __proto__: null });

interface ExceptionParts {
  readonly name: string;
  readonly message: string;
}

let access: (value: object) => ExceptionParts | undefined;

/** Name and message of a DOMException, past getters that a hook may have replaced; `undefined` for all else. */
export function exceptionParts(value: object): ExceptionParts | undefined {
  return access(value);
}

// Without the type of Error, whose `name` and `message` are no accessors.
const BareError = ErrorCtor as new () => object;

/** The web's error with a name for what went wrong. A real Error underneath, so that it has a stack. */
class WebException extends BareError {
  readonly #name: string;
  readonly #message: string;

  constructor(message: unknown = '', options: unknown = 'Error') {
    super();
    this.#message = `${message as string}`;
    if (typeof options === 'object' && options !== null) {
      const { name, cause } = options as { name?: unknown; cause?: unknown };
      this.#name = name === undefined ? 'Error' : `${name as string}`;
      if ('cause' in options) {
        defineProperty(
          this,
          'cause',
          bare({
            __proto__: null,
            value: cause,
            writable: true,
            configurable: true,
            enumerable: false,
          }),
        );
      }
    } else {
      this.#name = `${options as string}`;
    }
  }

  static {
    access = (value) =>
      #name in value ? { name: value.#name, message: value.#message } : undefined;
  }

  get name(): string {
    return this.#name;
  }

  get message(): string {
    return this.#message;
  }

  get code(): number {
    return CODE_OF[this.#name] ?? 0;
  }
}

/** `DOMException` of the isolate. */
export const DomException = asInterface('DOMException', WebException);

for (let index = 0; index < CODES.length; index += 1) {
  const [constant, name] = CODES[index] as (typeof CODES)[number];
  if (WITHOUT_CODE[name] !== true) CODE_OF[name] = index + 1;
  defineConstant(DomException, constant, index + 1);
}
