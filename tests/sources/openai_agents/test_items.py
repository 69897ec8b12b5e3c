"""What an item of a session becomes; the shapes are those the SDK and its models store."""

import pytest

from praxa_langgraph import MemoryFederation, Namespace, OpenAIAgentsSource

ADA = Namespace(tenant_id="acme", subject_id="ada")


class Session:
    """A session of somebody else's making: it returns whatever it holds, synchronously."""

    session_id = "acme:ada"

    def __init__(self, *items):
        self.items = list(items)

    def get_items(self, limit=None):
        return self.items


def recall(*items, limit=10, roles=("user", "assistant")):
    source = OpenAIAgentsSource(
        Session(*items), identity=lambda who: f"{who.tenant_id}:{who.subject_id}", roles=roles
    )
    return MemoryFederation([source]).recall("tea", namespace=ADA, limit=limit)


def ids(result):
    return [m.source_record_id for item in result.items for m in item.matches]


class TestText:
    @pytest.mark.parametrize(
        ("content", "text"),
        [
            ("tea", "tea"),
            ([{"type": "input_text", "text": "tea"}], "tea"),
            ([{"type": "output_text", "text": "tea", "annotations": []}], "tea"),
            ([{"type": "refusal", "refusal": "I cannot say"}], "I cannot say"),
            ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], "a\nb"),
        ],
    )
    def test_text_parts_are_the_text(self, content, text):
        assert recall({"role": "user", "content": content}).items[0].text == text

    @pytest.mark.parametrize("content", [None, [], "", [{"type": "input_image", "file_id": "f"}]])
    def test_a_message_without_text_is_refused_never_shown_as_json(self, content):
        """The reference falls back to the item's JSON; that would index raw JSON as text."""
        result = recall({"role": "user", "content": content}, {"role": "user", "content": "tea"})

        assert [item.text for item in result.items] == ["tea"]
        assert result.sources[0].rejections[0].code == "unsupported_content"


class TestLeftOut:
    @pytest.mark.parametrize(
        "item",
        [
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "x"}]},
            {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "1", "output": "x"},
            {"type": "compaction", "encrypted_content": "gAAAA"},
            {"type": "item_reference", "id": "i"},
            {"role": "system", "content": "instructions"},
            {"role": "developer", "content": "instructions"},
        ],
    )
    def test_reasoning_tools_and_instructions_are_no_conversation(self, item):
        result = recall(item, {"role": "user", "content": "tea"})

        assert [i.text for i in result.items] == ["tea"]
        assert result.sources[0].rejected_count == 0

    def test_instructions_are_read_only_on_request(self):
        item = {"role": "developer", "content": "instructions"}

        assert [i.text for i in recall(item, roles=["developer"]).items] == ["instructions"]

    @pytest.mark.parametrize("item", ["just a string", 123, None, [1, 2]])
    def test_a_row_that_is_no_object_costs_only_itself(self, item):
        """openai-agents-python#4939: valid JSON that is no object comes back as it is."""
        result = recall(item, {"role": "user", "content": "tea"})

        assert [i.text for i in result.items] == ["tea"]
        assert result.sources[0].rejections[0].code == "invalid_record"

    def test_ciphertext_of_an_encrypted_session_is_never_text(self):
        envelope = {"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAA-ciphertext"}

        result = recall(envelope, {"role": "user", "content": "tea"})

        assert "ciphertext" not in repr(result.to_wire())
        assert result.sources[0].rejections[0].code == "unsupported_content"


class TestRecordIds:
    def test_an_id_of_its_own_is_kept(self):
        assert ids(recall({"id": "msg_1", "role": "assistant", "content": "tea"})) == ["msg_1"]

    def test_an_id_that_every_message_shares_is_not_used(self):
        """Chat completions store `__fake_id__` on every message (measured)."""
        fake = {"id": "__fake_id__", "role": "assistant"}

        found = ids(recall({**fake, "content": "tea"}, {**fake, "content": "coffee"}))

        assert len(set(found)) == 2
        assert all(record_id.startswith("content-") for record_id in found)

    def test_an_id_that_repeats_is_not_used(self):
        twice = {"id": "msg_1", "role": "assistant"}

        assert len(set(ids(recall({**twice, "content": "a"}, {**twice, "content": "b"})))) == 2

    def test_the_id_of_a_message_stays_the_same_while_the_conversation_grows(self):
        first = {"role": "user", "content": "tea"}

        before = ids(recall(first))
        after = ids(recall(first, {"role": "assistant", "content": "noted"}))

        assert before[0] in after

    def test_the_same_words_said_twice_are_two_records_of_one_item(self):
        said = {"role": "user", "content": "tea"}

        result = recall(said, said)

        assert len(result.items) == 1
        assert len(set(ids(result))) == 2


class TestKept:
    def test_role_status_and_annotations_are_kept(self):
        item = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [
                {
                    "type": "output_text",
                    "text": "tea",
                    "annotations": [{"type": "url_citation", "url": "https://example.test"}],
                }
            ],
        }

        metadata = recall(item).items[0].matches[0].metadata

        assert metadata["role"] == "assistant"
        assert metadata["status"] == "completed"
        assert metadata["session_id"] == "acme:ada"
        assert metadata["content"][0]["annotations"][0]["type"] == "url_citation"

    def test_the_bytes_of_an_attachment_are_left_off_and_said_so(self):
        item = {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "look"},
                {
                    "type": "input_image",
                    "detail": "auto",
                    "image_url": "data:image/png;base64,AAAA",
                },
            ],
        }

        match = recall(item).items[0].matches[0]

        assert match.metadata["content"] == [{"type": "input_image", "detail": "auto"}]
        assert match.omitted == {"metadata.content.image_url": "binary content"}


class TestOddSessions:
    def test_more_items_than_asked_for_are_cut_to_the_newest(self):
        items = [{"role": "user", "content": f"message {i}"} for i in range(1_000)]

        result = recall(*items, limit=2)

        assert [item.text for item in result.items] == ["message 999", "message 998"]

    def test_an_answer_that_is_no_list_is_an_error(self):
        class Odd(Session):
            def get_items(self, limit=None):
                return "items"

        source = OpenAIAgentsSource(Odd(), identity=lambda _: "acme:ada")
        [report] = MemoryFederation([source]).recall("tea", namespace=ADA).sources

        assert (report.status, report.error.code) == ("error", "source_invalid_response")

    def test_a_conversation_that_does_not_exist_yet_is_not_created(self):
        """OpenAIConversationsSession creates one inside get_items (measured)."""

        class Unborn(Session):
            @property
            def session_id(self):
                raise ValueError("Session ID not yet available")

            def get_items(self, limit=None):
                raise AssertionError("a conversation would have been created")

        source = OpenAIAgentsSource(Unborn(), identity=lambda _: "acme:ada")
        [report] = MemoryFederation([source]).recall("tea", namespace=ADA).sources

        assert report.error.code == "source_misconfigured"
        assert "would create a conversation" in report.error.message
