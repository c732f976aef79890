"""Failed calls. In: an exception of litellm; out: a Failure, in words that hold no secret.

litellm's classes are told apart by their names and by the status the provider sent, so this file needs no litellm. It
reports a missing key and a refused connection alike as InternalServerError: the chain of causes says which it was.
"""

import os
import re
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from colosseum.players.models.reply import Answer


@dataclass(frozen=True, slots=True)
class Failure:
    """One attempt that got no answer."""

    kind: str
    """As in CallFailed, or refusal: the provider's own filter turned the request down."""
    reason: str
    again: bool
    """Whether asking again may help."""
    after: float | None = None
    """Seconds that the provider asks to wait first."""
    down: bool = False
    """Whether nothing was there to answer: no connection, or a status of 5xx."""
    came: Answer | None = None
    """What came in place of an answer; it may have to be paid for."""
    fits: int | None = None
    """Tokens that are left for an answer, where fewer were than were asked for."""
    broke: bool = False
    """Whether the connection ended under the request."""

    @property
    def unheard(self) -> bool:
        """Whether an answer may have been made, and charged, of which no count of tokens could be read."""
        if self.came is None:
            return self.broke or self.kind == "timeout"
        return bool(self.came.http and self.came.http.status == 200) and self.came.usage.prompt_tokens is None


KINDS = {
    "ContentPolicyViolationError": "refusal",
    "ContextWindowExceededError": "context",
    "Timeout": "timeout",
    "TimeoutError": "timeout",
}
"""Classes that say more than their status, by name."""

STATUS = {401: "authentication", 403: "authentication", 408: "timeout", 413: "context", 429: "rate_limit"}
TRANSIENT = frozenset((409, 425))  # refusals of the moment, for all that their status is one of 4xx
REFUSALS = frozenset(("content_policy_violation", "content_filter"))
TOO_LONG = "context_length_exceeded"  # openAI's code for it, whatever words a server puts it in
AGAIN = frozenset(("transport", "timeout", "rate_limit"))
MISSING_KEY = re.compile(
    r"missing credentials|missing \S+ api key|no key is set|api_key client option must be set|unable to locate cred",
    re.IGNORECASE,
)
OVERFLOW = re.compile(r"\bcontext.{0,20}(?:length|size|window)|(?:prompt|input) is too long", re.IGNORECASE)
"""What servers of open models say of a conversation that is too long, where litellm hears nothing but a refusal."""
ONE_TEMPERATURE = re.compile(r"temperature=1\b|temperature.*\b(?:default \(1\)|only be set to 1\b)")
"""What providers say where a model that reasons takes no other."""
MISCALLED = "tool_use_failed"
"""The code of a provider that keeps a call which the model garbled to itself: another try may do better."""
LONGEST = 400  # characters of a provider's message that a reason quotes


def explain(
    error: BaseException, *, model: str, api_base: str | None, timeout: float, missing_keys: tuple[str, ...]
) -> Failure:
    """What went wrong; `missing_keys` are the environment variables that this model needs and that are not set."""
    chain = tuple(_causes(error))
    words = _words(error)
    if MISSING_KEY.search(words):
        return Failure("authentication", redact(_no_key(model, missing_keys, words, api_base)), again=False)
    kind = _kind(error, chain)
    if kind == "bad_request" and OVERFLOW.search(words):
        kind = "context"
    match kind:
        case "authentication" if missing_keys:
            reason = _no_key(model, missing_keys, words, api_base)
        case "authentication":
            reason = f"no access to `{model}`: {words}"
        case "timeout":
            reason = f"`{model}` did not answer within {timeout:g} s"
        case "transport":
            reason = _unreachable(chain, model, api_base, words) or f"the call to `{model}` broke: {words}"
        case "bad_request" if _has(chain, NO_ADDRESS):
            reason = f"`{api_base}` is not an address such as `http://localhost:8000/v1`"
        case "bad_request" if getattr(error, "status_code", None) == 404:
            reason = f"the provider does not know the model `{model}`: {words}"
        case "bad_request" if "LLM Provider NOT provided" in words:
            reason = f"no provider is known for `{model}`: write provider/model, as in openai/gpt-4o-mini"
        case "rate_limit":
            reason = f"`{model}` is rate limited: {words}"
        case "context":
            reason = f"the conversation is too long for `{model}`: {words}"
        case "bad_request" if ONE_TEMPERATURE.search(words):
            reason = f"`{model}` refused the request: {words.rstrip('.')}; set `--temperature {model}=1`"
        case _:
            reason = f"`{model}` refused the request: {words}"
    codes = {_code(e) for e in chain}
    again = (kind in AGAIN and "insufficient_quota" not in codes) or MISCALLED in codes
    down = kind == "transport" and not _malformed(chain) and getattr(error, "status_code", None) not in TRANSIENT
    broke = _has(chain, BROKEN) or any(isinstance(e, ConnectionResetError | BrokenPipeError) for e in chain)
    return Failure(kind, redact(reason), again=again, after=_after(error) if again else None, down=down, broke=broke)


def room(words: str, asked: int) -> int | None:
    """Tokens that a context has left for an answer, by the numbers in a refusal of a prompt and `asked` tokens more.

    Servers name the context's size, and the prompt's or that of both together; words differ, sums do not.
    """
    numbers = {int(number) for number in re.findall(r"\d{1,9}", words)} - {asked}
    sums = {number for number in numbers if number - asked in numbers}
    prompts = {number - asked for number in sums} or numbers | {number - asked for number in numbers}
    sizes = numbers - sums - prompts if sums else numbers
    return max((s - p for s in sizes for p in prompts if 0 < p < s < p + asked), default=None)


SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?|JWT)(?:_BEDROCK|_ID|_V\d+)?$", re.IGNORECASE)
"""How names of variables end whose values are secret, with all that litellm reads."""
SECRETS = (
    (re.compile(r"\bsk-[\w*.\-]{3,}"), "[redacted]"),
    (re.compile(r"\bAIza[\w\-]{8,}"), "[redacted]"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[^\s,;'\"]+"), r"\1 [redacted]"),
    (
        re.compile(r"(?i)\b(x-api-key|api[-_]?key|key|token|authorization)(['\"]?\s*[=:]\s*['\"]?)[^\s,;&'\"]+"),
        r"\1\2[redacted]",
    ),
    (re.compile(r"(?<=://)[^/\s@]+@"), ""),
    (re.compile(r"(://[^\s?`'\"]+\?)[^\s`'\"]+"), r"\1[redacted]"),
)
"""What keys and headers look like, and what is shown instead."""


def redact(words: str, *, environment: Mapping[str, str] = os.environ) -> str:
    """The words without the values of variables that hold keys, and without anything that looks like a key."""
    held = {value for name, value in environment.items() if SECRET_NAME.search(name) and len(value) > 3}
    for value in sorted(held, key=len, reverse=True):
        words = words.replace(value, "[redacted]")
    for pattern, shown in SECRETS:
        words = pattern.sub(shown, words)
    return words


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and what led to it."""
    link: BaseException | None = error
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def _has(chain: tuple[BaseException, ...], names: frozenset[str]) -> bool:
    return any(type(error).__name__ in names for error in chain)


def _code(error: BaseException) -> str | None:
    """OpenAI's code of an error, as `insufficient_quota`."""
    code = getattr(error, "code", None)
    return code if isinstance(code, str) else None


def _kind(error: BaseException, chain: tuple[BaseException, ...]) -> str:
    if _has(chain, NO_ADDRESS):
        return "bad_request"
    if any(_code(e) in REFUSALS for e in chain):
        return "refusal"
    if any(_code(e) == TOO_LONG for e in chain):
        return "context"
    for cls in type(error).__mro__:
        if cls.__name__ in KINDS:
            return KINDS[cls.__name__]
    status = getattr(error, "status_code", None)
    if not isinstance(status, int) or status in TRANSIENT:
        return "transport"
    return STATUS.get(status, "bad_request" if 400 <= status < 500 else "transport")


def _no_key(model: str, missing_keys: tuple[str, ...], words: str, api_base: str | None) -> str:
    names = missing_keys or tuple(dict.fromkeys(re.findall(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN)\b", words)))
    if not names:
        return f"no key for `{model}`: {words}"
    if len(names) > 1 and not all(name.endswith("_API_KEY") for name in names):
        return f"no key for `{model}`: set the environment variables {', '.join(names[:-1])} and {names[-1]}"
    own = f" (to any word, if what is at {api_base} asks for none)" if api_base else ""
    return f"no key for `{model}`: set the environment variable {' or '.join(names)}{own}"


NO_ADDRESS = frozenset(("InvalidURL", "InvalidUrlClientError", "NonHttpUrlClientError", "UnsupportedProtocol"))
NO_CONNECTION = frozenset(("ConnectError", "APIConnectionError", "ServerDisconnectedError"))
BROKEN = frozenset(("ClientPayloadError", "ReadError", "RemoteProtocolError"))
NO_JSON = frozenset(("JSONDecodeError",))  # names of exceptions of the HTTP clients that litellm uses


def _malformed(chain: tuple[BaseException, ...]) -> bool:
    """Whether something answered that litellm could not read."""
    return _has(chain, NO_JSON) or isinstance(chain[-1], LookupError | TypeError | AttributeError)


def _unreachable(chain: tuple[BaseException, ...], model: str, api_base: str | None, words: str) -> str | None:
    """Words for a connection that was never made or did not last, or an answer in another language; None for others."""
    place = f" at {api_base}" if api_base else ""
    for error in chain:
        match error:
            case ConnectionRefusedError():
                return f"`{model}` cannot be reached{place}: connection refused"
            case ConnectionError():
                return f"the connection to `{model}`{place} broke"
            case socket.gaierror():
                return f"`{model}` cannot be reached{place}: the host name is not known"
    if _has(chain, BROKEN):
        return f"the connection to `{model}`{place} broke"
    if _has(chain, NO_JSON):
        return f"what is served{place or f' for `{model}`'} does not answer in JSON"
    if _malformed(chain):
        return f"litellm cannot use `{model}`{place}: {words}"
    if _has(chain, NO_CONNECTION):
        return f"`{model}` cannot be reached{place}: {' '.join(str(chain[-1]).split())}"
    return None


def _words(error: BaseException) -> str:
    """The message on one line, without litellm's prefixes and traceback."""
    words = " ".join(str(error).partition("Traceback (most recent")[0].partition("To drop ")[0].split())
    prefix = re.compile(r"^(?:litellm\.)?[A-Z]\w*(?:Error|Exception|Timeout)(?: Error)?\s*[:\-]\s*")
    while (shorter := prefix.sub("", words)) != words:
        words = shorter
    words = redact(words or type(error).__name__)
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"


def _after(error: BaseException) -> float | None:
    """Seconds to wait, by Retry-After, in seconds or as a date."""
    headers = getattr(error, "litellm_response_headers", None)
    if not headers:
        headers = getattr(getattr(error, "response", None), "headers", None)
    wanted = str(headers.get("retry-after")) if isinstance(headers, Mapping) else ""
    if re.fullmatch(r"\d{1,9}(\.\d+)?", wanted):
        return float(wanted)
    with suppress(OverflowError, TypeError, ValueError):
        return max(0.0, parsedate_to_datetime(wanted).timestamp() - time.time())
    return None
