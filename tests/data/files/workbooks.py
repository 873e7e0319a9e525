"""Small Excel workbooks, written by hand: just enough of the format for cells of every kind."""

from datetime import date, datetime
from io import BytesIO
from xml.sax.saxutils import escape
from zipfile import ZipFile

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
STYLES = f"""<styleSheet {MAIN}><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1">
<border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0"/>
<xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/>
<xf numFmtId="46" applyNumberFormat="1"/></cellXfs></styleSheet>"""
EPOCH = datetime(1899, 12, 30)


class Formula(str):
    """The value that Excel stored with a formula, as XML."""


class Written(str):
    """A cell as XML, with ``{}`` in the place of its name."""


class Moment(str):
    """A number that is shown as a date."""


class Duration(str):
    """A number that is shown as hours, minutes, and seconds."""


def cell(name, value):
    """One cell; dates are numbers with a style."""
    if value is None:
        return ""
    if isinstance(value, Written):
        return value.replace("{}", name)
    if isinstance(value, Formula):
        return f'<c r="{name}"><f>B1+1</f>{value}</c>'
    if isinstance(value, Moment | Duration):
        return f'<c r="{name}" s="{1 if isinstance(value, Moment) else 3}"><v>{value}</v></c>'
    if isinstance(value, bool):
        return f'<c r="{name}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        moment = value if isinstance(value, datetime) else datetime.combine(value, datetime.min.time())
        style = 2 if isinstance(value, datetime) else 1
        return f'<c r="{name}" s="{style}"><v>{(moment - EPOCH).total_seconds() / 86_400!r}</v></c>'
    if isinstance(value, str) and value.startswith("#"):
        return f'<c r="{name}" t="e"><v>{value}</v></c>'
    if isinstance(value, str):
        return f'<c r="{name}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f'<c r="{name}"><v>{value!r}</v></c>'


def workbook(rows, merged="", sheets=("Visits",), shared=()):
    """The bytes of a workbook; the rows are those of its first sheet, and ``shared`` its shared texts, as XML."""
    lines = (
        f'<row r="{i}">{"".join(cell(f"{chr(65 + j)}{i}", each) for j, each in enumerate(row))}</row>'
        for i, row in enumerate(rows, 1)
    )
    merges = f'<mergeCells count="1"><mergeCell ref="{merged}"/></mergeCells>' if merged else ""
    filled, empty = f"<sheetData>{''.join(lines)}</sheetData>{merges}", "<sheetData/>"
    numbers = range(1, len(sheets) + 1)
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
        for i in numbers
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{OFFICE}"><sheets>'
        + "".join(f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in enumerate(sheets, 1))
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="r{i}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>' for i in numbers
        )
        + f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/>'
        + f'<Relationship Id="t" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        "xl/sharedStrings.xml": f"<sst {MAIN}>{''.join(f'<si>{each}</si>' for each in shared)}</sst>",
        "xl/styles.xml": STYLES,
    }
    parts |= {
        f"xl/worksheets/sheet{i}.xml": f"<worksheet {MAIN}>{filled if i == 1 else empty}</worksheet>" for i in numbers
    }
    file = BytesIO()
    with ZipFile(file, "w") as packed:
        for name, text in parts.items():
            packed.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return file.getvalue()
